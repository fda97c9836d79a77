import { expect, test } from "bun:test";
import { SettError } from "../../../../lib/model/errors.ts";
import { oneError } from "../../../../lib/model/one-error.ts";

async function failedTwice(work: unknown, ...undone: unknown[]): Promise<unknown> {
  const run = async () => {
    await using _undo = new AsyncDisposableStack();
    for (const error of undone)
      _undo.defer(() => {
        throw error;
      });
    throw work;
  };
  return oneError(await run().catch((error: unknown) => error));
}

test("work and a clean-up that fail are one error: the code of the first, the words and hints of all", async () => {
  const first = new SettError("interrupted", "Interrupted.", { hint: "Run it again." });
  const later = new SettError("docker-failed", "The container a stays.", { hint: "Remove it." });
  expect(await failedTwice(first, new Error("And more."), later)).toMatchObject({
    code: "interrupted",
    message: "Interrupted. The container a stays. And more.",
    hint: "Run it again.\nRemove it.",
  });
  expect(await failedTwice(new Error("A defect."), later)).toMatchObject({
    message: "A defect. The container a stays.",
  });
  expect(await failedTwice(new SettError("usage", "Wrong."), new Error("Late."))).toMatchObject({
    hint: undefined,
  });
  expect(oneError(first)).toBe(first);
});
