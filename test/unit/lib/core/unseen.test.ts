import { expect, test } from "bun:test";
import { unseen } from "../../../../lib/core/unseen.ts";

const without = (text: string) => text.replace(unseen, "");

test("of a text stays what can be seen, with line breaks and tabs", () => {
  const seen = "Ä1 ‰ \u0600\u06dd \u{1f600}\n\t“…”";
  expect(without(seen)).toBe(seen);
  expect(
    without(
      "a\u0000\u001b\r\u009b\u061c\u200e\u2028\u202e\u2066\u3164\ufe0f\ufeff\ufffb\u{e0041}\u{e0100}b",
    ),
  ).toBe("ab");
});

test("what writing needs stays where it is needed, and nowhere else", () => {
  for (const text of ["\u{1f469}\u200d\u{1f4bb}", "❤\ufe0f", "\u06cc\u200c\u062e", "辻\u{e0100}"]) {
    expect(without(text)).toBe(text);
    const [first, mark, ...rest] = text;
    expect(without(`${first}x${mark}x${rest.join("")}`)).toBe(`${first}xx${rest.join("")}`);
  }
});
