// Each promise of docs/promises.md names what holds it, and what it names is there.
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { readPage } from "../../support/docs/pages.ts";
import { root } from "../../support/root.ts";

const page = "docs/promises.md";
const rows = readPage(page)
  .split("\n")
  .filter((line) => /^\| (?!promise \|)/.test(line))
  .map((line) => {
    const [promise = "", number = "", holds = "", ...more] = line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim());
    return { promise, number, holds, more };
  });

/** A link to a file of `test`, and the quoted words behind it. */
const cited = /\[`(test\/[\w./-]+)`\]\(\.\.\/([\w./-]+)\)((?:[:,] "[^"]+")*)/g;
const citations = rows.flatMap(({ promise, holds }) =>
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
