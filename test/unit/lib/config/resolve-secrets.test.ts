// `secrets` of sett.yml: what is accepted, what is a mistake, and what this machine lacks.
import { expect, test } from "bun:test";
import { parseConfig } from "../../../../lib/config/parse-config.ts";

function parsed(secrets: string, uses: string, more = "") {
  const agent = `  a:\n    image: some/image:1\n    command: [run]\n    bids: [{ on: GoalDefined, bid: claim }]\n    secrets: ${uses}\n${more}`;
  const text = `version: '1.0'\n${secrets === "" ? "" : `secrets: ${secrets}\n`}agents:\n${agent}`;
  const host = { HOME: "/home/ada", TOKEN: "a-token-of-the-host" };
  const found = parseConfig({ text, file: "sett.yml", folder: "/work", host });
  const sentences = (problems: typeof found.mistakes) =>
    problems.map(({ path, sentence }) => `${path}: ${sentence}`);
  const { config, mistakes, warnings, missing } = found;
  return {
    config,
    mistakes: sentences(mistakes),
    warnings: sentences(warnings),
    missing: sentences(missing),
  };
}

test("a secret comes from a file, a variable or a command, and no value is in the configuration", () => {
  const secrets =
    "{ one: { file: ./one }, two: { file: ~/two }, three: { environment: TOKEN }, four: { command: [pass, four] } }";
  const { config, mistakes, warnings, missing } = parsed(
    secrets,
    "[one, two, three, { name: four, variable: FOUR }]",
  );
  expect([mistakes, warnings, missing]).toEqual([[], [], []]);
  expect(config?.secrets).toEqual({
    one: { file: "/work/one" },
    two: { file: "/home/ada/two" },
    three: { environment: "TOKEN" },
    four: { command: ["pass", "four"] },
  });
  expect(config?.agents[0]?.secrets).toEqual([
    { name: "one" },
    { name: "two" },
    { name: "three" },
    { name: "four", variable: "FOUR" },
  ]);
  expect(JSON.stringify(config)).not.toContain("a-token-of-the-host");
});

test.each([
  [
    "{ one: {} }",
    "[one]",
    "secrets.one: needs one of `file`, `environment`, `command` and `kubernetes`, which says where its value comes from",
  ],
  [
    "{ one: { file: a, environment: B } }",
    "[one]",
    "secrets.one: needs one of `file`, `environment`, `command` and `kubernetes`",
  ],
  ["{ one: a }", "[one]", "secrets.one: must be a map"],
  [
    "{ one: { command: pass one } }",
    "[one]",
    'secrets.one.command: must be a list: `["pass", "show", "registry"]`',
  ],
  ["{ one: { environment: a-b } }", "[one]", "secrets.one.environment: must be a variable's name"],
  ["{ ../one: { file: a } }", "[]", 'secrets["../one"]: must be letters, digits'],
  [
    "{ token: { file: a } }",
    "[tokn]",
    "agents.a.secrets[0]: `secrets` has no `tokn`: did you mean `token`?",
  ],
  [
    "",
    "[token]",
    "agents.a.secrets[0]: `secrets` has no `token`: the file needs `secrets: { token: { file: … } }`",
  ],
  ["{ one: { file: a } }", "[one, one]", "agents.a.secrets[1]: names `one` a second time"],
  [
    "{ one: { file: a } }",
    "[{ name: one, variable: SETT_ONE }]",
    "is a name that Sett uses itself",
  ],
  ["{ one: { file: a } }", "[{ variable: ONE }]", "agents.a.secrets[0]"],
])("%s, named as %s, is a mistake", (secrets, uses, sentence) => {
  const { mistakes } = parsed(secrets, uses);
  expect(mistakes.join("\n")).toContain(sentence);
});

test("one that no agent names is warned of, and so is one that replaces a variable", () => {
  const { warnings } = parsed(
    "{ one: { file: a }, two: { file: b } }",
    "[{ name: one, variable: ONE }]",
    "    environment: { ONE: x }\n",
  );
  expect(warnings).toEqual([
    "secrets.two: is named by no agent, no token, no forge and no webhook: `secrets: [two]`",
    "agents.a.secrets[0]: replaces `ONE` of `environment`: remove one of the two",
  ]);
});

test("a variable that this machine lacks is missing only where an agent names the secret", () => {
  const secrets = "{ one: { environment: ABSENT } }";
  expect(parsed(secrets, "[one]").missing).toEqual([
    "secrets.one.environment: needs the variable `ABSENT`, which is not set on this machine",
  ]);
  expect(parsed(secrets, "[]").missing).toEqual([]);
});

test("an agent for which Sett starts nothing gets none", () => {
  const text =
    "version: '1.0'\nsecrets: { one: { file: a } }\nagents:\n  a: { external: true, secrets: [one] }\n";
  const { mistakes } = parseConfig({ text, file: "sett.yml", folder: "/work", host: {} });
  expect(mistakes.map(({ sentence }) => sentence).join()).toContain(
    "cannot be combined with `external: true`",
  );
});
