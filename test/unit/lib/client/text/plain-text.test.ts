import { expect, test } from "bun:test";
import { oneLine, plainLines, shorten } from "../../../../../lib/client/text/plain-text.ts";

const esc = "\u001b";

test("text from agents keeps no control characters", () => {
  expect(oneLine(` a\tb\n\nc${esc}[0m\u202e`)).toBe("a b c�");
  expect(plainLines(`a\r\n\tb${esc}`)).toBe("a\n\tb�");
  expect(shorten("ábcdef", 4)).toBe("ábc…");
  expect(shorten("ábcd", 4)).toBe("ábcd");
});

test.each([
  ["a mark of direction", "\u061c"],
  ["another", "\u200e"],
  ["a space without width", "\u200b"],
  ["a joiner where nothing joins", "\u200d"],
  ["a soft hyphen", "\u00ad"],
  ["a letter of tags", "\u{e0041}"],
  ["a filler", "\u3164"],
  ["an annotation", "\ufff9"],
  ["a variant of nothing", "\ufe0f"],
  ["another", "\u{e0100}"],
  ["a control of C1", "\u009b"],
])("what cannot be seen is marked: %s", (_, hidden) => {
  expect(oneLine(`pay${hidden}pal`)).toBe("pay\ufffdpal");
  expect(plainLines(`pay${hidden}pal\n`)).toBe("pay\ufffdpal\n");
});

test("what breaks a line is a space in one line, and marked where lines are kept", () => {
  for (const separator of ["\u2028", "\u2029", "\ufeff"]) {
    expect(oneLine(`a${separator}b`)).toBe("a b");
    expect(plainLines(`a${separator}b`)).toBe("a\ufffdb");
  }
});

test("what writing needs stays: emoji, joined letters of scripts that have them, and variants of Chinese characters", () => {
  const family = "\u{1f468}\u200d\u{1f469}\u200d\u{1f467}";
  const painter = "\u{1f9d1}\u{1f3fd}\u200d\u{1f3a8}";
  const heart = "\u2764\ufe0f\u200d\u{1f525}";
  const key = "1\ufe0f\u20e3";
  const persian = "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645";
  const hindi = "\u0915\u094d\u200d\u0937";
  const chinese = "\u8fbb\u{e0100}";
  for (const text of [family, painter, heart, key, persian, hindi, chinese]) {
    expect(oneLine(text)).toBe(text);
    expect(plainLines(text)).toBe(text);
  }
  expect(oneLine(`${key}\ufe0f${family}\u200d`)).toBe(`${key}\ufffd${family}\ufffd`);
});
