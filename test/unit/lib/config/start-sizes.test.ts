// Agents that could not be started, because they have too much to be started with.
import { expect, test } from "bun:test";
import { checkConfig } from "../../../../lib/config/read-config.ts";
import { configFolder } from "../../../support/config/config-file.ts";

async function mistakesOf(agent: string): Promise<string[]> {
  await using made = await configFolder({
    "sett.yml": `version: '1.0'\nagents:\n  a: { image: "b:1", ${agent} }\n`,
  });
  const { mistakes } = await checkConfig(made.path, { BIG: "x".repeat(60_000) });
  return mistakes.map(({ path, sentence }) => `${path}: ${sentence}`);
}

const variables = (count: number) =>
  Array.from({ length: count }, (_, at) => `V${at}: "\${BIG}"`).join(", ");

test("the sum of variables is named with the agent and the limit", async () => {
  expect(await mistakesOf(`command: [run], environment: { ${variables(34)} }`)).toEqual([]);
  expect(await mistakesOf(`command: [run], environment: { ${variables(40)} }`)).toEqual([
    expect.stringMatching(
      /^agents\.a\.environment: the variables, prompts and command of `a` are 24\d{5} bytes together, .*2064384/,
    ),
  ]);
});

test.each([
  [
    "command",
    `command: [sh, ${Array.from({ length: 2 }, () => `"${"x".repeat(90_000)}"`).join(", ")}]`,
  ],
  [
    "bid_command",
    `command: [run], bid_command: [sh, ${Array.from({ length: 2 }, () => `"${"x".repeat(90_000)}"`).join(", ")}]`,
  ],
])("%s is one variable of the cub, so that it has a limit as a whole", async (key, agent) => {
  expect(await mistakesOf(agent)).toEqual([
    `agents.a.${key}: must not be longer than 128 KiB as a whole`,
  ]);
});
