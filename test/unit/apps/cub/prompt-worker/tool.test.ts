import { expect, test } from "bun:test";
import { z } from "zod";
import { defineTool, describeCall, output } from "../../../../../apps/cub/prompt-worker/tool.ts";

const tool = defineTool({
  name: "add",
  description: "Adds.",
  input: z.strictObject({ a: z.int(), b: z.int().default(1) }),
  use: async ({ a, b }) => output(String(a + b)),
});
const signal = new AbortController().signal;

test("arguments are checked, and defaults filled in", async () => {
  expect(await tool.use({ a: 2 }, signal)).toEqual({ kind: "output", text: "3" });
  expect(await tool.use({ a: "2", c: 1 }, signal)).toEqual({
    kind: "malformed",
    text: 'The arguments of `add` are wrong, and nothing was done. `a`: Invalid input: expected number, received string; Unrecognized key: "c".',
  });
});

test("the model gets a schema in which a default makes an argument optional", () => {
  expect(tool.schema).toMatchObject({
    type: "object",
    required: ["a"],
    additionalProperties: false,
  });
  expect(tool.schema).not.toHaveProperty("$schema");
});

test("a line of the log has the name and the beginning of the first text", () => {
  expect(describeCall("run", { timeout_s: 5, command: "npm\n  test" })).toBe("run npm test");
  expect(describeCall("list_files", {})).toBe("list_files");
  expect(describeCall("odd", "text")).toBe("odd");
  expect(describeCall("ask", { question: "x".repeat(500) })).toBe(`ask ${"x".repeat(100)}…`);
});
