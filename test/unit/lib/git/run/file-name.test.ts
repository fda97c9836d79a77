import { expect, test } from "bun:test";
import fc from "fast-check";
import { readName, showName } from "../../../../../lib/git/run/file-name.ts";

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

test("what git quotes is read as well, also where all beyond ASCII is in octal digits", () => {
  expect(readName('"\\303\\251\\377"')).toBe("\xc3\xa9\xff");
});
