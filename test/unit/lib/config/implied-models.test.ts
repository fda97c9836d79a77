// Which model an agent of prompts asks that names none.
import { expect, test } from "bun:test";
import { checkConfig } from "../../../../lib/config/read-config.ts";
import { configFolder } from "../../../support/config/config-file.ts";

const model = "{ provider: openai, model: gpt-5, key: k }";
const prompts = "prompts: { claim: Take., execution: Work. }";

async function read(agents: string, models: string) {
  await using made = await configFolder({
    "sett.yml": `version: '1.0'\nagents: { ${agents} }\nmodels: { ${models} }\n`,
  });
  const { config, mistakes, warnings, notes } = await checkConfig(made.path, {});
  const chosen = Object.fromEntries<string | undefined>(
    config?.agents.map(({ name, model }) => [name, model]) ?? [],
  );
  return {
    models: chosen,
    mistakes: mistakes.length,
    notes: notes.map(({ sentence }) => sentence),
    warnings,
  };
}

test("it is the only model, or the one that is called `default`, and it is said which", async () => {
  expect(await read(`a: { image: x, ${prompts} }`, `strong: ${model}`)).toMatchObject({
    models: { a: "strong" },
    mistakes: 0,
    notes: ["asks `strong`: it names no `model`, and that one is the only one"],
  });
  const two = await read(
    `a: { image: x, ${prompts} }, b: { image: x, model: weak, ${prompts} }`,
    `default: ${model}, weak: ${model}`,
  );
  expect(two).toMatchObject({
    models: { a: "default", b: "weak" },
    mistakes: 0,
    notes: ["asks `default`: it names no `model`, and that one is called `default`"],
  });
  const undecided = await read(
    "a: { image: x, prompts: { execution: Work. } }",
    `one: ${model}, other: ${model}`,
  );
  expect(undecided.mistakes).toBe(1);
});

test("a command that decides by rules asks none, and one whose prompt decides the bids asks it", async () => {
  const command = "image: x, command: [x]";
  const rules = "bids: [{ on: A, bid: claim }]";
  const agents = `a: { ${command}, ${prompts}, ${rules} }, b: { ${command}, ${prompts} }, c: { ${command}, ${rules} }, d: { external: true, ${rules} }`;
  expect((await read(agents, `strong: ${model}`)).models).toMatchObject({
    a: undefined,
    b: "strong",
    c: undefined,
  });
});

test("an agent without a network that has a token of a public server is warned of, with the lines", async () => {
  const agent = (rest: string) =>
    `a: { image: x, command: [x], bids: [{ on: A, bid: claim }], environment: { GITHUB_TOKEN: t }${rest} }`;
  await using made = await configFolder({
    "sett.yml": `version: '1.0'\nagents: { ${agent("")} }\n`,
  });
  expect((await checkConfig(made.path, {})).warnings.map(({ sentence }) => sentence)).toEqual([
    '`GITHUB_TOKEN` is of use only where its server is reached, and this agent reaches no network: `egress: ["api.github.com:443", "github.com:443"]` opens the way',
  ]);
  expect((await read(agent(", network: open"), "")).warnings).toEqual([]);
});
