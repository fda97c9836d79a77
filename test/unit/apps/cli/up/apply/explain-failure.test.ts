import { expect, test } from "bun:test";
import { explainFailure, saidOnce } from "../../../../../../apps/cli/up/apply/explain-failure.ts";
import { PartFailed } from "../../../../../../apps/cli/up/apply/readiness.ts";
import type { Runtime } from "../../../../../../lib/runtime/port.ts";

const at = (second: number, words: string) => `1:M 29 Nov 2026 15:33:0${second}.123 # ${words}`;

test.each([
  [[], []],
  [
    ["one", "two", "two words"],
    ["one", "two", "two words"],
  ],
  [
    ["x", "fatal", "fatal", "fatal"],
    ["x", "fatal"],
  ],
  [
    [
      at(0, "fatal"),
      at(1, "begins"),
      at(1, "reads"),
      at(1, "fatal"),
      at(2, "begins"),
      at(2, "reads"),
      at(2, "fatal"),
    ],
    [at(2, "begins"), at(2, "reads"), at(2, "fatal")],
  ],
  [
    ["a", "b", "c", "b", "c", "d"],
    ["a", "b", "c", "b", "c", "d"],
  ],
])("of %j a part that was started again has said %j", (lines, shown) => {
  expect(saidOnce(lines)).toEqual(shown);
});

const parts: Record<string, string[]> = { silent: [], loud: ["fatal: no"] };
const runtime = {
  observe: {
    find: async () => undefined,
    async *logs(name: string) {
      for (const line of parts[name] ?? []) yield { line };
    },
  },
} as unknown as Runtime;

async function explained(failed: PartFailed): Promise<unknown> {
  const host = { dataOf: () => neverAsked() };
  return await explainFailure({ runtime, host }, failed, "Nothing was left behind.", {
    suggest: (command) => `sett ${command}`,
  });
}

function neverAsked(): never {
  throw new Error("Only of Redis.");
}

test("a part that the runtime refuses has the runtime's remedy, and no word of a log", async () => {
  const refused = "silent does not run: a quota refuses it";
  expect(await explained(new PartFailed("silent", refused, "Raise it."))).toMatchObject({
    message: `${refused}.`,
    hint: "Nothing was left behind. Raise it.",
  });
  expect(await explained(new PartFailed("loud", refused, "Raise it."))).toMatchObject({
    message: `${refused}. The end of its log:\n  fatal: no`,
    hint: "Nothing was left behind. Raise it.",
  });
});

test("a part that ends by itself is explained by its log", async () => {
  expect(await explained(new PartFailed("silent", "silent ended"))).toMatchObject({
    message: "silent ended. Its log is empty.",
    hint: "Nothing was left behind. Does it have enough memory, and is its image made for this machine?",
  });
  expect(await explained(new PartFailed("loud", "loud ended"))).toMatchObject({
    hint: "Nothing was left behind. Correct what its log names, then run `sett up` again.",
  });
});
