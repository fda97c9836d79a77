import { expect, test } from "bun:test";
import { shownLines } from "../../../../lib/words/terminal-text.ts";

test("of a line that a tool has written over, the last writing is shown", () => {
  expect(shownLines("10 %\r50 %\r100 %\ndone\r\n")).toBe("100 %\ndone\n");
  expect(shownLines("10 %\r50 %\r")).toBe("50 %");
  expect(shownLines("\r\r\n")).toBe("\n");
  expect(shownLines("plain\ntext")).toBe("plain\ntext");
});
