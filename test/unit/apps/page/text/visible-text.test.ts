import { describe, expect, test } from "bun:test";
import { segmentsOf, visibleLine } from "../../../../../apps/page/text/visible-text.ts";

const shown = (text: string) =>
  segmentsOf(text)
    .map(({ text: part, mark }) => (mark === undefined ? part : `[${mark}]`))
    .join("");

describe("what a reader could not see is shown by its name", () => {
  test.each([
    ["terminal escapes", "a\u001b[31mred", "a[ESC][31mred"],
    [
      "marks that turn the text",
      "user\u202e\u2066admin\u2069\u202c",
      "user[RLO][LRI]admin[PDI][PDF]",
    ],
    ["what has no width", "pass\u200bword\ufeff", "pass[ZWSP]word[BOM]"],
    ["tags, which hide sentences", "ok\u{e0041}", "ok[U+E0041]"],
    [
      "controls, and a carriage return that would write over a line",
      "a\u0000b\u0007c\rd",
      "a[NUL]b[U+0007]c[CR]d",
    ],
    [
      "variants of nothing, in which bytes can be hidden",
      "a\ufe0fb\u{e0100}",
      "a[U+FE0F]b[U+E0100]",
    ],
    ["separators of lines that no editor shows", "a\u2028b", "a[U+2028]b"],
  ])("%s", (_, text, expected) => {
    expect(shown(text)).toBe(expected);
  });

  test("line breaks and tabs stay, and line breaks of other systems are line breaks", () => {
    expect(shown("a\tb\nc\r\nd")).toBe("a\tb\nc\nd");
  });

  test("a joiner inside of an emoji stays", () => {
    expect(shown("👩\u200d💻 a\u200db")).toBe("👩\u200d💻 a[ZWJ]b");
  });

  test("a variant of an emoji and a joiner of a script that needs it stay", () => {
    for (const text of ["❤\ufe0f", "\u0645\u06cc\u200c\u062e\u0648"])
      expect(shown(text)).toBe(text);
  });

  test("the parts together are the text, whatever is in it", () => {
    const text = Array.from({ length: 0x3000 }, (_, code) => String.fromCodePoint(code)).join("");
    expect(
      segmentsOf(text)
        .map(({ text: part }) => part)
        .join(""),
    ).toBe(text);
  });
});

test("one line has no line break, and is cut", () => {
  expect(visibleLine("  a\n\n b\u202e ")).toBe("a b‹RLO›");
  expect(visibleLine("abcdef", 3)).toBe("abc…");
});
