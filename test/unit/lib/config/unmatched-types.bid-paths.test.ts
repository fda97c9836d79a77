import { expect, test } from "bun:test";
import { readConfig } from "../../../../lib/config/read-config.ts";
import { configFolder, mistakesIn } from "../../../support/config/config-file.ts";

const file = (rule: string) =>
  `version: '1.0'\nagents:\n  a: { image: agent:1, command: [run], bids: [{ on: Code, bid: review }] }\n  ada: { human: true, bids: [{ ${rule} }] }\n`;
const withPaths = (paths: string) => file(`on: CodeCommit, bid: review, paths: ${paths}`);

async function read(text: string) {
  await using made = await configFolder({ "sett.yml": text });
  const { config, warnings } = await readConfig(made.path, {});
  return {
    paths: config.people[0]?.bids[0]?.paths,
    warnings: warnings.map(({ path, sentence }) => `${path}: ${sentence}`),
  };
}

test("paths are folders, files and patterns", async () => {
  const paths = ["infra/**", "docs/", "*.tf", "a?c/**/x", "größe (1).md"];
  expect(await read(withPaths(JSON.stringify(paths)))).toEqual({ paths, warnings: [] });
});

test.each([
  ["infra/{a,b}", "has no `{…}`: write one path for each"],
  [
    "infra/[ab].tf",
    "has no `[…]`: write one path for each; for a name with `[` write `?` in its place",
  ],
  ["!(docs)/**", "must not begin with `!`: list what the agent bids for, all else is left out"],
  ["infra/+(a|b)", "has no `!(…)`, `+(…)` and their like"],
  ["!infra/**", "must not begin with `!`: list what the agent bids for, all else is left out"],
  ["/infra/**", "must not begin with `/`"],
  ["./infra", "must not have `.`, `..` or nothing for a folder"],
  ["infra\\\\a", "must not have `\\`"],
  ["", "must not be empty"],
])("%p is a mistake with a sentence", async (path, sentence) => {
  const [mistake, ...more] = await mistakesIn(withPaths(`["src/**", "${path}"]`));
  expect(mistake).toContain("agents.ada.bids[0].paths[1]: ");
  expect(mistake).toContain(sentence);
  expect(more).toEqual([]);
});

test("one text is a mistake, and so is an empty list", async () => {
  expect(await mistakesIn(withPaths("infra/**"))).toEqual([
    expect.stringContaining('must be a list: `["infra/**", "*.tf"]`'),
  ]);
  expect(await mistakesIn(withPaths("[]"))).toEqual([
    expect.stringContaining("must name a path, or be left out"),
  ]);
});

test("a bid by paths on goals is warned of: a goal changes nothing", async () => {
  const { warnings } = await read(file('on: GoalDefined, bid: review, paths: ["infra/**"]'));
  expect(warnings).toEqual([
    "agents.ada.bids[0].paths: never matches: a goal changes no file, and its commit is where the work begins",
  ]);
});
