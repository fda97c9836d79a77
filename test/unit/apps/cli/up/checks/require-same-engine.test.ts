import { expect, test } from "bun:test";
import { requireSameEngine } from "../../../../../../apps/cli/up/checks/require-same-engine.ts";
import { InstanceName } from "../../../../../../lib/model/ids.ts";
import { errorOf } from "../../../../../support/error-of.ts";

const instance = InstanceName.parse("demo");
const knowing = (engine: string | undefined, hasBeenUp = true) => ({
  hasBeenUp: async () => hasBeenUp,
  readEngine: async () => engine,
});

test("an instance that was up with another Engine is not begun a second time, nor without one", async () => {
  for (const [engine, sentence] of [
    [
      { identity: "two" },
      "demo was up with another Docker Engine, and this one has nothing of it.",
    ],
    [{}, "demo was up with a Docker Engine, where it may still be."],
  ] as const) {
    const error = await errorOf(() => requireSameEngine(instance, engine, knowing("one")));
    expect([error.code, error.message]).toEqual(["instance-taken", sentence]);
    expect(error.hint).toContain("git config --unset sett.demo.engine");
  }
});

test.each([
  ["the same Engine", "one", knowing("one")],
  ["none noted", "one", knowing(undefined)],
  ["no `sett up` that ended well", "two", knowing("one", false)],
])("with %s it is", async (_, identity, kept) => {
  await requireSameEngine(instance, { identity }, kept);
});
