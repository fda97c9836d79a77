// The page about coding CLIs names the versions that their lock files install.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../support/root.ts";

const read = (path: string) => readFileSync(join(root, path), "utf8");

test.each(["claude-code", "codex", "opencode", "pi", "qwen-code"])(
  "the page has the version of %s",
  (name) => {
    const { dependencies, optionalDependencies } = JSON.parse(read(`agents/${name}/package.json`));
    const versions = new Set(Object.values({ ...dependencies, ...optionalDependencies }));
    expect(versions.size).toBe(1);
    expect(read("docs/agents/coding-clis.md")).toContain(`| \`${name}\` | ${[...versions][0]} |`);
  },
);

test.each([
  ["aider", "aider-chat"],
  ["mini-swe-agent", "mini-swe-agent"],
])("the page has the version of %s, of which each wheel has its digest", (name, project) => {
  const locked = read(`agents/${name}/requirements.txt`);
  const [, version] = new RegExp(`^${project}==(\\S+)`, "m").exec(locked) ?? [];
  expect(read("docs/agents/coding-clis.md")).toContain(`| \`${name}\` | ${version} |`);
  const named = locked.match(/^\S+==/gm) ?? [];
  expect(named.length).toBeGreaterThan(50);
  expect(locked.match(/^\S+==[^\n]*\\\n {4}--hash=sha256:/gm)).toHaveLength(named.length);
});

test.each(["claude-code", "codex", "opencode"])(
  "the lock file of %s has it for both architectures",
  (name) => {
    const places = Object.keys(JSON.parse(read(`agents/${name}/package-lock.json`)).packages);
    for (const architecture of ["x64", "arm64"])
      expect(places.filter((place) => place.endsWith(`linux-${architecture}`))).toHaveLength(1);
  },
);
