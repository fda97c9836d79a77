import { expect, test } from "bun:test";
import { deserializeMessage } from "@modelcontextprotocol/sdk/shared/stdio.js";
import { answerToUnreadable } from "../../../../lib/mcp/unreadable.ts";

function codeFor(line: string): number | undefined {
  try {
    deserializeMessage(line);
  } catch (error) {
    return answerToUnreadable(error as Error)?.error.code;
  }
  return undefined;
}

test.each([
  ["{ garbage", -32_700],
  ["", -32_700],
  ['{"hello":1}', -32_600],
  ["[]", -32_600],
])("the line `%s` is answered with %d", (line, code) => {
  expect(codeFor(line)).toBe(code);
});

test("what is about no line is not answered", () => {
  expect(answerToUnreadable(new Error("The pipe is broken."))).toBeUndefined();
});
