// The README of the npm package: npm shows it without the repository beside it.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readPage } from "../../support/docs/pages.ts";
import { root } from "../../support/root.ts";

const readme = readFileSync(join(root, ".ci/npm/README.md"), "utf8");

test("the README of the npm package has no link that is relative, for npm shows no other file", () => {
  const targets = [...readme.matchAll(/\]\(([^)]+)\)|(?:src|href)="([^"]+)"/g)].map(
    ([, link, attribute]) => link ?? attribute ?? "",
  );
  expect(targets.filter((target) => !/^(?:https:\/\/|#)/.test(target))).toEqual([]);
});

/** The sentences of a paragraph, with paths for links. Throws where the page has none. */
function paragraph(page: string, beginning: string): string {
  const text = page.split("\n\n").find((each) => each.startsWith(beginning));
  if (text === undefined) throw new Error(`No paragraph begins with ${JSON.stringify(beginning)}.`);
  return text
    .replace("[Security](docs/security.md)", "`docs/security.md`")
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/\s+/g, " ")
    .trim();
}

test.each(["An **agent** is", "**An agent's command"])(
  "the README of the npm package says the same as that of the repository: %s …",
  (beginning) => {
    expect(paragraph(readme, beginning)).toBe(paragraph(readPage("README.md"), beginning));
  },
);
