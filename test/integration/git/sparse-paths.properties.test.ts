// Sett knows without a checkout what git would check out, and what an agent may change.
import { expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { SparsePaths } from "../../../lib/git/copy/sparse-paths.ts";
import { WorkspacePath } from "../../../lib/model/workspace-path.ts";
import {
  commitFiles,
  git,
  hostEnv,
  sampleRepository,
} from "../../support/git/sample-repository.ts";

const names = ["a", "b", "ab", "a.md", "b.md", "ü", "a b", "[a]", "#a", "b "];
const name = fc.constantFrom(...names);
const wild = fc.constantFrom("*", "?", "**", "a*", "*.md", "*b", "?b", "*a*", "[*", "#*", "**b");
const part = fc.oneof(name, wild);
const folder = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => `${parts.join("/")}/`);
const pattern = fc
  .tuple(fc.array(part, { minLength: 1, maxLength: 4 }), fc.constantFrom("", "/"))
  .map(([parts, end]) => parts.join("/") + end);
const path = fc.oneof(folder, pattern).filter((text) => WorkspacePath.safeParse(text).success);

function repositoryOfNames() {
  const host = sampleRepository();
  const files: Record<string, string> = {};
  const add = (parts: string[]) => {
    files[`${parts.join("/")}/f`] = "x";
    files[`${parts.join("/")}/c.md`] = "x";
  };
  for (const one of names) {
    add([one]);
    for (const two of names) {
      add([one, two]);
      if (one !== two) add([one, two, one]);
    }
  }
  commitFiles(host.path, { ...files, ab2: "x", "c.md": "x" });
  return host;
}

test("what is checked out, and what may be changed, is what git makes of the paths", () => {
  using host = repositoryOfNames();
  const all = git(host.path, "-c", "core.quotePath=false", "ls-files", "-z")
    .split("\0")
    .filter(Boolean);
  const latin1 = (text: string) => Buffer.from(text).toString("latin1");
  mkdirSync(join(host.path, ".git/info"), { recursive: true });
  const run = (args: string[], input?: string) =>
    execFileSync("git", args, {
      ...{ cwd: host.path, input, encoding: "utf8" as const },
      env: { ...hostEnv, GIT_INDEX_FILE: join(host.path, ".git/other") },
    });
  const [empty, tree] = [join(host.root, "empty"), join(host.root, "tree")];
  mkdirSync(empty);
  mkdirSync(tree);
  const excludes = join(host.root, "excludes");
  fc.assert(
    fc.property(fc.array(path, { minLength: 1, maxLength: 4 }), (paths) => {
      const sparse = new SparsePaths(paths);
      writeFileSync(join(host.path, ".git/info/sparse-checkout"), sparse.text);
      const settings = ["-c", "core.sparseCheckout=true"];
      const cone = ["-c", `core.sparseCheckoutCone=${sparse.isCone}`];
      run([...settings, ...cone, `--work-tree=${tree}`, "read-tree", "-m", "-u", "HEAD"]);
      const listed = run(["ls-files", "-t", "-z"]).split("\0").filter(Boolean);
      const shown = listed.filter((line) => line.startsWith("H ")).map((line) => line.slice(2));
      expect(all.filter((file) => sparse.shows(latin1(file)))).toEqual(shown);

      const lines = paths.map((each) => (/[*?]/.test(each) ? each : `/${each}`));
      writeFileSync(
        excludes,
        lines
          .map(
            (line) => `${line.replaceAll("[", "\\[").replace(/^#/, "\\#").replace(/ $/, "\\ ")}\n`,
          )
          .join(""),
      );
      const checked = ["-c", `core.excludesFile=${excludes}`, `--work-tree=${empty}`];
      const args = [...checked, "check-ignore", "--no-index", "--stdin", "-z", "-v", "-n"];
      let fields: string[];
      try {
        fields = run(args, all.map((file) => `${file}\0`).join("")).split("\0");
      } catch (error) {
        fields = String((error as { stdout: string }).stdout).split("\0");
      }
      const named = all.filter((_, index) => fields[index * 4 + 2] !== "");
      expect(all.filter((file) => sparse.names(latin1(file)))).toEqual(named);
    }),
    { numRuns: 60 },
  );
});

test("a name that is made to match slowly is matched in time", () => {
  const sparse = new SparsePaths([`${"*a".repeat(60)}b`, `${"**/a*/".repeat(60)}b`]);
  expect(sparse.names("a".repeat(4_000))).toBe(false);
  expect(sparse.names("aa/".repeat(1_500))).toBe(false);
});
