// Each promise of docs/promises.md names what holds it, and what it names is there; so with what
// docs/compliance.md says to auditors.
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { readPage } from "../../support/docs/pages.ts";
import { root } from "../../support/root.ts";

const rowsOf = (page: string) =>
  readPage(page)
    .split("\n")
    .filter((line) => /^\| (?!(?:promise|asks for) \|)/.test(line))
    .map((line) => {
      const [promise = "", number = "", holds = "", ...more] = line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim());
      return { promise, number, holds, more };
    });
const rows = rowsOf("docs/promises.md");
/** These have what there is in place of a number, and what remains to people at their end. */
const demands = rowsOf("docs/compliance.md");

/** A link to a file of `test`, and the quoted words behind it. */
const cited = /\[`(test\/[\w./-]+)`\]\(\.\.\/([\w./-]+)\)((?:[:,] "[^"]+")*)/g;
const citations = [...rows, ...demands].flatMap(({ promise, holds }) =>
  [...holds.matchAll(cited)].map(([, path = "", target = "", quoted = ""]) => ({
    ...{ promise, path, target },
    words: [...quoted.matchAll(/"([^"]+)"/g)].map(([, words = ""]) => words),
  })),
);

/**
 * Citations, and what is pending, are the whole cell. `the 80 %: test pending`: the number alone.
 */
function isHeld(holds: string): boolean {
  const parts = holds
    .replaceAll(cited, "cited")
    .replaceAll(/(?:(?:its|the) [\w %]+: )?test pending/g, "pending");
  return /^(?:cited|pending)(?:; (?:cited|pending))*$/.test(parts);
}

/**
 * The titles of a file, and the names of its cases: texts that begin a call, or end with the comma
 * of a first argument.
 */
function titlesIn(path: string): string {
  const titles = readPage(path).matchAll(/(?:\(|\[|^\s*)(["`])((?:\\.|(?!\1)[^\\\n])+)\1,/gm);
  return [...titles].map(([, , title = ""]) => title).join("\n");
}

test("each row has a promise, a number or a dash, and what holds it: a test, a figure or `test pending`", () => {
  expect(rows.length).toBeGreaterThanOrEqual(60);
  const incomplete = rows.filter(
    ({ promise, number, holds, more }) =>
      [promise, number].includes("") || more.length > 0 || !isHeld(holds),
  );
  expect(incomplete).toEqual([]);
});

test("each demand has what there is, a test that shows it, and what remains to people", () => {
  expect(demands.length).toBeGreaterThanOrEqual(12);
  const incomplete = demands.filter(
    ({ promise, number, holds, more }) =>
      [promise, number, ...more].includes("") || more.length !== 1 || !isHeld(holds),
  );
  expect(incomplete).toEqual([]);
  expect(readPage("docs/compliance.md")).not.toMatch(/complian/i);
});

test("each promise is made once", () => {
  const promises = rows.map(({ promise }) => promise);
  expect(promises.filter((promise, at) => promises.indexOf(promise) !== at)).toEqual([]);
});

test("each file that is cited exists, and the link leads to it", () => {
  expect(citations.length).toBeGreaterThanOrEqual(rows.length);
  expect(
    citations.filter(({ path, target }) => path !== target || !existsSync(join(root, path))),
  ).toEqual([]);
});

test("the words that are cited are a title of the file, or a figure of the benchmark", () => {
  const wrong = citations.flatMap(({ path, words }) => {
    if (!existsSync(join(root, path))) return [];
    const said = path.startsWith("test/bench/") ? readPage(path) : titlesIn(path);
    if (words.length === 0) return [`${path} is cited without words of a title`];
    return words.flatMap((each) =>
      said.includes(each) ? [] : [`${path} has no title with “${each}”`],
    );
  });
  expect(wrong).toEqual([]);
});
