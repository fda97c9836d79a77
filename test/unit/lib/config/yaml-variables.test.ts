import { expect, test } from "bun:test";
import { parseYaml } from "../../../../lib/config/yaml-file.ts";

test("a variable needs no quotes inside of a map or a list in one line, and every place stays the same", () => {
  const text = `a: { key: \${A_KEY}, more: [x-\${B:-c}, \${D}] }\nb: { c: 5 }\n`;
  const { data, mistakes, place } = parseYaml(text);
  expect({ data, mistakes }).toEqual({
    data: { a: { key: `\${A_KEY}`, more: [`x-\${B:-c}`, `\${D}`] }, b: { c: 5 } },
    mistakes: [],
  });
  expect([place(["a", "more", 1]), place(["b", "c"])]).toEqual([
    { line: 1, column: 39 },
    { line: 2, column: 9 },
  ]);
});

test("quotes, blocks and keys with variables read as before", () => {
  const text = `a: "\${A}"\nb: '\${B}'\nc: \${C}\nd: |\n  \${D}\n  \${\n"\${E}": \\\${E}\n`;
  expect(parseYaml(text)).toMatchObject({
    mistakes: [],
    data: { a: `\${A}`, b: `\${B}`, c: `\${C}`, d: `\${D}\n\${\n`, "${E}": `\\\${E}` },
  });
  expect(parseYaml(`agents: { a: { environment: { A: \${B} } } }`).data).toEqual({
    agents: { a: { environment: { A: `\${B}` } } },
  });
});

test("a file that has the characters of the hiding place itself is taken as it is", () => {
  expect(parseYaml(`a: "\uE000 \${A}"\n`)).toMatchObject({
    mistakes: [],
    data: { a: `\uE000 \${A}` },
  });
  expect(parseYaml(`a: { b: \${A} } # \uE001\n`).mistakes).not.toEqual([]);
});

test("a document that names itself ends", () => {
  const { data } = parseYaml(`a: &a [*a, \${B}]\n`);
  expect(data === undefined || Array.isArray(Object(data).a)).toBe(true);
});
