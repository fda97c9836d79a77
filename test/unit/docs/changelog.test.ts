// CHANGELOG.md keeps the form that CONTRIBUTING.md names, which the release's notes are taken from.
import { expect, test } from "bun:test";
import { readPage } from "../../support/docs/pages.ts";

const text = readPage("CHANGELOG.md");
const headings = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"];

test("a version has the usual headings, in their order, and each has entries", () => {
  for (const version of text.split(/^## /m).slice(1)) {
    const sections = version.split(/^### /m).slice(1);
    const found = sections.map((section) => section.split("\n", 1)[0] ?? "");
    expect(found).toEqual(headings.filter((heading) => found.includes(heading)));
    for (const section of sections) expect(section).toMatch(/^- /m);
  }
});

test("an entry is one sentence: it begins with a capital letter or code, and ends with a full stop", () => {
  const entries = [...text.matchAll(/^- ((?:.|\n {2})*)/gm)].map(([, entry = ""]) =>
    entry.replace(/\n {2}/g, " "),
  );
  expect(entries.length).toBeGreaterThan(0);
  expect(
    entries.filter((entry) => !/^[\p{Lu}`].*\.$/u.test(entry) || /\. \p{Lu}/u.test(entry)),
  ).toEqual([]);
});
