import { expect, test } from "bun:test";
import { oneLine, plainLines, shorten } from "../../../../../lib/client/text/plain-text.ts";

const esc = "\u001b";

test("text from agents keeps no control characters", () => {
  expect(oneLine(` a\tb\n\nc${esc}[0m\u202e`)).toBe("a b c�");
  expect(plainLines(`a\r\n\tb${esc}`)).toBe("a\n\tb�");
  expect(shorten("ábcdef", 4)).toBe("ábc…");
  expect(shorten("ábcd", 4)).toBe("ábcd");
});
