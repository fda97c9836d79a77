// Comments cite pages of this repository, and its pages cite files: what they cite is there.
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { Glob } from "bun";
import { anchorsOf, readPage } from "../../support/docs/pages.ts";
import { root } from "../../support/root.ts";

const filesOf = (pattern: string) => [...new Glob(pattern).scanSync({ cwd: root, dot: true })];

const itself = "test/unit/docs/citations.test.ts";
const sources = [
  ...filesOf("{apps,lib,test,agents,.ci}/**/*"),
  ...["sett.example.yml", "justfile", "Dockerfile.redis", "Dockerfile.multiarch"],
].filter((file) => file !== itself);
const pages = [
  ...filesOf("docs/{internals,reference}/*.md"),
  "docs/security.md",
  "ARCHITECTURE.md",
];

/** `docs/internals/claims.md#results`: a page, and perhaps a heading in it. */
const citation =
  /(?<![\w/.-])((?:docs\/[\w/-]+|ARCHITECTURE|CONTRIBUTING|SECURITY)\.md)(?:#([\w-]+))?/g;

/** `lib/core/decide-claim.ts` in a page, in code or as the target of a link. */
const file = /(?<![\w/-])((?:apps|lib|test|agents|\.ci)\/[\w./-]*\w)(?=[`)])/g;

test("every page and heading that a source cites exists", () => {
  const wrong = sources.flatMap((source) =>
    [...readPage(source).matchAll(citation)].flatMap(([whole, page = "", anchor]) => {
      if (!existsSync(join(root, page))) return [`${source} cites ${whole}: there is no such page`];
      return anchor === undefined || anchorsOf(page).includes(anchor)
        ? []
        : [`${source} cites ${whole}: there is no such heading`];
    }),
  );
  expect(wrong).toEqual([]);
});

test("no source cites a design that is not in the repository", () => {
  expect(sources.filter((source) => /\bDESIGN\b|§/.test(readPage(source)))).toEqual([]);
});

test("every file that a page names exists", () => {
  const wrong = pages.flatMap((page) =>
    [...readPage(page).matchAll(file)].flatMap(([, path = ""]) =>
      existsSync(join(root, path)) ? [] : [`${page} names ${path}: there is no such file`],
    ),
  );
  expect(wrong).toEqual([]);
});

test("docs/security.md defines each footnote that a row has, once, and its rows fit a screen", () => {
  const page = readPage("docs/security.md");
  const notes = (pattern: RegExp) => [...page.matchAll(pattern)].map(([, name]) => name);
  expect([...new Set(notes(/\[\^(\d+)\](?!:)/g))]).toEqual(notes(/^\[\^(\d+)\]: `/gm));
  expect(page.split("\n").filter((line) => line.length > 120)).toEqual([]);
});

test("every identifier that a page names is in the source", () => {
  const code = filesOf("{apps,lib}/**/*.{ts,lua}").map(readPage).join("\n");
  const words = new Set(code.match(/\w+/g));
  const wrong = pages.flatMap((page) =>
    [...readPage(page).matchAll(/`([a-z]+(?:[A-Z][a-z]*|_[a-z]+)+)`/g)].flatMap(([, name = ""]) =>
      words.has(name) ? [] : [`${page} names ${name}: the source has no such word`],
    ),
  );
  expect(wrong).toEqual([]);
});

test("every room has its place in the internals", () => {
  const rooms = [...filesOf("lib/*/*"), ...filesOf("apps/cli/*/*")].map((path) => dirname(path));
  const named = pages.map(readPage).join("\n");
  expect([...new Set(rooms)].filter((room) => !named.includes(`\`${room}\``))).toEqual([]);
});

test("every call of the blackboard in apps/cub has its line in the cub's page", () => {
  const calls = filesOf("apps/cub/**/*.ts").flatMap((one) =>
    [...readPage(one).matchAll(/\bboard\.(\w+)/g)].map(([, name = ""]) => name),
  );
  const page = readPage("docs/internals/cub.md");
  expect([...new Set(calls)].filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

test("ARCHITECTURE.md is one page", () => {
  const lines = readPage("ARCHITECTURE.md").split("\n");
  expect(lines.length).toBeLessThanOrEqual(140);
  expect(lines.filter((line) => line.length > 100 && !line.startsWith("|"))).toEqual([]);
});
