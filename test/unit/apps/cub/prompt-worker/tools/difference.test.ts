import { expect, test } from "bun:test";
import { differenceOf } from "../../../../../../apps/cub/prompt-worker/tools/difference.ts";

const found = { line: 7, text: "if (a) {\n\treturn b;\n}" };

test("the first line that differs is shown, with white space that can be seen", () => {
  expect(differenceOf(found, "if (a) {\n    return b;\n}\n")).toBe(
    'In line 8 the file has "\\treturn b;", and you gave "    return b;": only white space differs.',
  );
  expect(differenceOf(found, "\nif (a)\u00a0{\n")).toBe(
    'In line 7 the file has "if (a) {", and you gave "if (a)\\u00a0{": only white space differs.',
  );
  expect(differenceOf(found, "if (a) {\n\treturn\u200b c;\n}")).toBe(
    'In line 8 the file has "\\treturn b;", and you gave "\\treturn\\u200b c;".',
  );
});

test("an end of the file, a long line and blank lines around it are said", () => {
  expect(differenceOf(found, `${found.text}\nmore`)).toBe(
    'In line 10 the file has no more line, and you gave "more".',
  );
  expect(differenceOf(found, `\n${found.text}\n\n`)).toBe("Only the blank lines around it differ.");
  expect(differenceOf({ line: 1, text: "x".repeat(9_000) }, "y").length).toBeLessThan(300);
});
