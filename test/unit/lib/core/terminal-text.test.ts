import { expect, test } from "bun:test";
import { lastWriting, shownLines } from "../../../../lib/core/terminal-text.ts";

test("of a line that a tool has written over, the last writing is shown", () => {
  expect(shownLines("10 %\r50 %\r100 %\ndone\r\n")).toBe("100 %\ndone\n");
  expect(shownLines("10 %\r50 %\r")).toBe("50 %");
  expect(shownLines("\r\r\n")).toBe("\n");
  expect(shownLines("plain\ntext")).toBe("plain\ntext");
});

test("of links, titles of windows and choices of a character set the words alone are shown", () => {
  const link = "\u001b]8;;https://example.org/e1\u001b\\error E1\u001b]8;;\u001b\\";
  const printed = `\u001b]0;building\u0007${link} at \u001b(B\u001b[m7:1`;
  expect(shownLines(`${printed}\nnext`)).toBe("error E1 at \u001b[m7:1\nnext");
  expect(lastWriting(`10 %\r${printed}`)).toBe("error E1 at \u001b[m7:1");
  expect(shownLines("\u001b]0;no end\nnext")).toBe("\u001b]0;no end\nnext");
});
