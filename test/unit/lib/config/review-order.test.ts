import { expect, test } from "bun:test";
import { readConfig } from "../../../../lib/config/read-config.ts";
import { configFolder, mistakesIn } from "../../../support/config/config-file.ts";

/** Each line is an agent and its one rule; a line of a person begins with `human`. */
const file = (...agents: string[]) =>
  `version: '1.0'\nagents:\n${agents.map((line) => `  ${line}\n`).join("")}`;
const image = "image: agent:1, command: [run]";
const agent = (name: string, rule: string, more = image) =>
  `${name}: { ${more}, bids: [{ ${rule} }] }`;
const person = (name: string, rule: string, more = "") => agent(name, rule, `human: true${more}`);

async function warningsIn(text: string): Promise<string[]> {
  await using made = await configFolder({ "sett.yml": text });
  const { warnings } = await readConfig(made.path, {});
  return warnings.map(({ path, sentence }) => `${path}: ${sentence}`);
}

const compile = agent("compile", "on: CodeCommit, bid: review");
const lint = agent("lint", "on: Code*, bid: review", `role: check, ${image}`);

test("reviewers may wait for agents and roles that review the same", async () => {
  const text = file(
    compile,
    lint,
    person("ada", "on: CodeCommit, bid: review, after: [compile, check]"),
  );
  expect(await warningsIn(text)).toEqual([]);
});

test("a name that nothing has is a mistake, with the one that was meant", async () => {
  const ada = person("ada", "on: CodeCommit, bid: review, after: [compil, check]");
  expect(await mistakesIn(file(compile, lint, ada))).toEqual([
    expect.stringContaining(
      "agents.ada.bids[0].after[0]: no agent has the name or the role `compil`; did you mean `compile`?",
    ),
  ]);
});

test("a circle is a mistake of each that is in it, and of no other", async () => {
  const text = file(
    agent("a", "on: Plan, bid: review, after: [b]"),
    agent("b", "on: P*, bid: review, after: [check]"),
    agent("c", "on: Plan, bid: review, after: [a]", `role: check, ${image}`),
    agent("d", "on: Plan, bid: review, after: [a]"),
  );
  expect((await mistakesIn(text)).map((line) => line.replace(/^\S+ /, ""))).toEqual([
    "agents.a.bids[0].after: goes in a circle: `a` waits for `b`, `b` waits for `c`, `c` waits for `a`",
    "agents.b.bids[0].after: goes in a circle: `b` waits for `c`, `c` waits for `a`, `a` waits for `b`",
    "agents.c.bids[0].after: goes in a circle: `c` waits for `a`, `a` waits for `b`, `b` waits for `c`",
  ]);
});

test("an agent that would wait for nothing but its own review is a mistake", async () => {
  const own = agent("own", "on: Plan, bid: review, after: [own]");
  const only = agent("only", "on: Plan, bid: review, after: [check]", `role: check, ${image}`);
  const found = (await mistakesIn(file(own, only))).map((line) => line.replace(/^\S+ /, ""));
  expect(found).toEqual([
    "agents.own.bids[0].after[0]: `own` is this agent itself: name the reviewers that it waits for",
    "agents.only.bids[0].after[0]: `check` is this agent itself: name the reviewers that it waits for",
  ]);
});

test("agents that wait for each other on different artefacts are in no circle", async () => {
  const text = file(
    agent("a", "on: Plan, bid: review, after: [b] }, { on: Code, bid: review"),
    agent("b", "on: Code, bid: review, after: [a] }, { on: Plan, bid: review"),
  );
  expect(await warningsIn(text)).toEqual([]);
});

test("two of one role that wait for their role wait for each other", async () => {
  const rule = "on: Plan, bid: review, after: [owner]";
  const text = file(
    compile,
    person("ada", rule, ", role: owner"),
    person("bob", rule, ", role: owner"),
  );
  expect((await mistakesIn(text))[0]).toContain("`ada` waits for `bob`, `bob` waits for `ada`");
});

test("only reviews wait", async () => {
  const text = file(compile, agent("pack", "on: CodeCommit, bid: exclusive, after: [compile]"));
  expect((await mistakesIn(text))[0]).toContain("agents.pack.bids[0].after: needs `bid: review`");
});

test("a name that never reviews the artefact is warned of", async () => {
  const claims = agent("compile", "on: CodeCommit, bid: claim");
  const ada = person("ada", "on: CodeCommit, bid: review, after: [compile]");
  expect(await warningsIn(file(claims, ada))).toEqual([
    "agents.ada.bids[0].after[0]: `compile` never bids `review` on `CodeCommit`, so `ada` does not wait for it: only reviews are waited for",
  ]);
  const byCommand = agent("compile", "on: CodeCommit, bid: claim", `${image}, bid_command: [bid]`);
  expect(await warningsIn(file(byCommand, ada))).toEqual([]);
});

const merging = (name: string, on: string) =>
  agent(
    name,
    `on: ${on}, bid: review`,
    "forge: hub, pull_request: { base: main, approvals: 0, merge: squash }",
  );
const withForge = (...agents: string[]) =>
  `${file(...agents)}forges: { hub: { kind: github, repository: a/b, token: key } }\nsecrets: { key: { file: ./key } }\n`;

test("no review comes after that of an agent that merges", async () => {
  const late = agent("late", "on: CodeCommit, bid: review, after: [compile, pull]");
  const pull = merging("pull", "CodeCommit");
  expect(await mistakesIn(withForge(compile, pull, late))).toEqual([
    expect.stringContaining(
      "agents.late.bids[0].after: `pull` merges what it approves, so that no review can come after its own",
    ),
  ]);
});

test("two agents that would merge the same are a mistake, and two of other artefacts are none", async () => {
  const [one, same, other] = [
    merging("one", "CodeCommit"),
    merging("same", "Code*"),
    merging("other", "Docs"),
  ];
  expect(await mistakesIn(withForge(one, same, other))).toEqual([
    expect.stringContaining("agents.same.pull_request.merge: `one` merges the same"),
  ]);
});
