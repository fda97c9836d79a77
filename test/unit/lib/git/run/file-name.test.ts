import { expect, test } from "bun:test";
import fc from "fast-check";
import { lookApart, readName, showName } from "../../../../../lib/git/run/file-name.ts";

const latin1 = (text: string) => Buffer.from(text, "utf8").toString("latin1");
const named: [string, string][] = [
  ["src/a b.ts", "src/a b.ts"],
  [latin1("ä/日本"), "ä/日本"],
  ["a\nb", '"a\\nb"'],
  ['say "x"', '"say \\"x\\""'],
  ["a\\b", '"a\\\\b"'],
  ["caf\xe9", '"caf\\351"'],
  [latin1("é\t"), '"é\\t"'],
  [latin1("a\u2028b"), '"a\\342\\200\\250b"'],
  [latin1("a\u200bb"), '"a\\342\\200\\213b"'],
  [latin1("a\u202eb.exe"), '"a\\342\\200\\256b.exe"'],
  [latin1("a\u00a0b"), '"a\\302\\240b"'],
  [latin1("a\u3000b"), '"a\\343\\200\\200b"'],
  [latin1("a\u2800b"), '"a\\342\\240\\200b"'],
  ["x ", '"x "'],
  [" x", '" x"'],
  [latin1("café"), "café"],
  [latin1("cafe\u0301/ä"), '"cafe\\314\\201/ä"'],
  [latin1("\u1112\u1161\u11ab"), '"\\341\\204\\222\\341\\205\\241\\341\\206\\253"'],
  [latin1("한"), "한"],
  [latin1("क्षत्रिय/ไทย/العربية"), "क्षत्रिय/ไทย/العربية"],
  [latin1("می\u200cخواهم"), "می\u200cخواهم"],
];

test.each(named)("the name %p is shown as %p", (name, shown) => {
  expect(showName(name)).toBe(shown);
  expect(readName(shown)).toBe(name);
});

const byte = fc.integer({ min: 1, max: 255 }).map((code) => String.fromCharCode(code));
const piece = fc.oneof(
  byte,
  fc.constantFrom('"', "\\", "\n", "\\351", "n", latin1("é"), latin1("\ufffd"), latin1("\u0085")),
);

test("any name is read back from what is shown, which is on one line", () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const name = pieces.join("");
      const shown = showName(name);
      expect(readName(shown)).toBe(name);
      expect(shown).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}]/u);
    }),
    { numRuns: 2_000 },
  );
});

test("names that differ in their bytes alone are not shown alike, in one list or in two", () => {
  const names = ["é", "e\u0301", "a b", "a\u00a0b", "a\u2003b", "x", "x ", " x", "Å", "\u212b"];
  const shown = names.map((name) => showName(latin1(name)));
  const seen = shown.map((text) =>
    text
      .normalize()
      .replace(/\p{Zs}/gu, " ")
      .trim(),
  );
  expect(new Set(seen).size).toBe(names.length);
  expect(lookApart(`${latin1("é")}\0e\0a b\0`)).toBe(true);
  for (const pair of [names.slice(0, 2), names.slice(2, 4), names.slice(8)])
    expect(lookApart(pair.map((name) => `${latin1(name)}\0`).join(""))).toBe(false);
});

test("what git quotes is read as well, also where all beyond ASCII is in octal digits", () => {
  expect(readName('"\\303\\251\\377"')).toBe("\xc3\xa9\xff");
});
