// CONTRIBUTING.md names files and recipes that exist.
import { expect, test } from "bun:test";
import { Glob } from "bun";
import { readPage } from "../../support/docs/pages.ts";
import { root } from "../../support/root.ts";

const quoted = [...readPage("CONTRIBUTING.md").matchAll(/`([^`\n]+)`/g)].map(
  ([, text = ""]) => text,
);

/** A file or a folder; NAME in it may be any name. */
function exists(path: string): boolean {
  const name = path.replace(/\/$/, "").replaceAll("NAME", "*");
  return !new Glob(name).scanSync({ cwd: root, onlyFiles: false, dot: true }).next().done;
}

test("every file that a checklist names exists", () => {
  const paths = quoted.filter((text) =>
    /^(?:lib|apps|test|agents|docs|\.ci|\.github)\/\S*$|^[\w.-]+\.(?:md|json|yml|ts)$/.test(text),
  );
  expect(paths.length).toBeGreaterThan(60);
  expect(
    paths.filter((path) => path !== "sett.yml" && path !== "sett.cdx.json" && !exists(path)),
  ).toEqual([]);
});

test("every recipe that is named exists", () => {
  const recipes = quoted.flatMap((text) => /^(?:npx )?just ([\w-]+)/.exec(text)?.[1] ?? []);
  const known = [...readPage("justfile").matchAll(/^([a-z][\w-]*)(?: [^:]*)?:(?!=)/gm)].map(
    ([, name]) => name,
  );
  expect(recipes.length).toBeGreaterThan(5);
  expect(recipes.filter((name) => !known.includes(name))).toEqual([]);
});
