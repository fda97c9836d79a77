import { expect, test } from "bun:test";
import fc from "fast-check";
import { changedFiles } from "../../../../../lib/client/text/changed-files.ts";
import { readName, showName } from "../../../../../lib/git/run/file-name.ts";

/** As git writes it: the prefix is within the quotes. */
function written(prefix: string, name: string): string {
  return showName(name).replace(/^("?)/, `$1${prefix}`);
}

const headOf = (name: string) => `diff --git ${written("a/", name)} ${written("b/", name)}\n`;

test("a name with blanks, and with what looks like the beginning of another, is whole", () => {
  const names = ["x b/y", "y", "a/x b/y b/x", "b/y", '"b/z" b/z', "tab\t b/z"];
  const { files } = changedFiles(names.map((name) => `${headOf(name)}old mode 100644\n`).join(""));
  expect(files.map(({ name }) => readName(name))).toEqual(names);
});

test("any name is read back from the list", () => {
  const piece = fc.oneof(
    fc.integer({ min: 1, max: 255 }).map((code) => String.fromCharCode(code)),
    fc.constantFrom(" b/", " a/", "/", '"', "\\", "\n", "\xc3\xa9"),
  );
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 8 }), (pieces) => {
      const name = pieces.join("");
      const { files } = changedFiles(`${headOf(name)}@@ -0,0 +1 @@\n+diff --git a/q b/q\n`);
      expect(files.map((file) => [readName(file.name), file.added])).toEqual([[name, 1]]);
    }),
  );
});

test("a file that was renamed has its new name", () => {
  const diff = [
    'diff --git a/old one "b/new\\tone"',
    "similarity index 100%",
    "rename from old one",
    'rename to "new\\tone"',
  ].join("\n");
  const notes = ["rename from old one", 'rename to "new\\tone"'];
  expect(changedFiles(diff).files).toMatchObject([{ name: '"new\\tone"', notes }]);
});
