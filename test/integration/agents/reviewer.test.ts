// Commits made by hand, and what the reviewer says of them: it has no opinion of who made them,
// only of what they hold.
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  commitOnTop,
  type ReleaseScene,
  releaseScene,
  review,
} from "../../support/agents/release-scene.ts";
import { git } from "../../support/agents/run-agent.ts";
import { nightly } from "../../support/nightly.ts";

setDefaultTimeout(300_000);

let scene: ReleaseScene;
let right: Record<string, string>;
let bell: string;
let fix: string;

/** All that a release commit of the sample must hold, as a careful person would write it. */
beforeAll(async () => {
  scene = await releaseScene();
  bell = await short("Add a bell");
  fix = await short("Fix the silence");
  const raised = async (name: string, ...places: RegExp[]) => {
    const text = await readFile(join(scene.sample, name), "utf8");
    return places.reduce(
      (done, place) => done.replace(place, (found) => found.replaceAll("1.1.0", "1.2.0")),
      text,
    );
  };
  right = {
    "package.json": await raised("package.json", /"version": .*/),
    "package-lock.json": await raised("package-lock.json", /^.*?"dependencies"/s),
    "README.md": await raised("README.md", /^!.*/m, /^ {4}tar.*/ms),
    "CHANGELOG.md": entry(`- Add a bell (${bell})\n- Fix the silence (${fix})\n`),
  };
});
afterAll(async () => await scene[Symbol.asyncDispose]());

const short = (subject: string) =>
  git(scene.sample, "log", "-1", "--format=%h", `--grep=^${subject}`);
const entry = (bullets: string, heading = "## [1.2.0] - 2026-01-31") =>
  `# Changelog\n\n${heading}\n\n${bullets}\n## 1.1.0 - 2025-10-09\n\n- Add a door\n`;

async function problemsWith(
  files: Record<string, string | null>,
  version = "1.2.0",
): Promise<string[]> {
  const { artefact, problems } = await review(
    scene,
    await commitOnTop(scene, { ...right, ...files }, version),
  );
  expect(artefact.payload === "{}").toBe(problems.length === 0);
  return problems;
}

test("a first version that is right is approved at once", async () => {
  expect(await problemsWith({})).toEqual([]);
});

describe("the entry", () => {
  test("must exist, be for this release and be the first", async () => {
    expect(await problemsWith({ "CHANGELOG.md": null })).toEqual([
      "CHANGELOG.md: is missing or empty.",
    ]);
    expect(await problemsWith({ "CHANGELOG.md": "# Changelog\n" })).toContain(
      "CHANGELOG.md: has no entry for 1.2.0.",
    );
    expect(await problemsWith({ "CHANGELOG.md": entry("- x\n", "## Unreleased") })).toEqual([
      "CHANGELOG.md:3: the first entry is for Unreleased, not for 1.2.0.",
    ]);
  });

  test("must list every commit that needs an entry, also merged ones", async () => {
    expect(await problemsWith({ "CHANGELOG.md": entry(`- Fix the silence (${fix})\n`) })).toEqual([
      `CHANGELOG.md:3: does not list ${bell}: Add a bell`,
    ]);
  });

  nightly(
    "must list no merge, no commit of an earlier release and none that does not exist",
    async () => {
      const all = `- Add a bell (${bell})\n- Fix the silence (${fix})\n`;
      const strangers = [await short("Merge"), await short("Say what"), "0123456789"];
      expect(
        await problemsWith({
          "CHANGELOG.md": entry(all + strangers.map((hash) => `- What (${hash})\n`).join("")),
        }),
      ).toEqual(
        strangers.map(
          (hash, index) =>
            `CHANGELOG.md:${index + 7}: lists ${hash}, which is no commit since the last release.`,
        ),
      );
    },
  );

  nightly("may have Windows' line endings", async () => {
    expect(
      await problemsWith({
        "CHANGELOG.md": String(right["CHANGELOG.md"]).replaceAll("\n", "\r\n"),
      }),
    ).toEqual([]);
  });

  nightly("must have no trailing spaces", async () => {
    expect(
      await problemsWith({
        "CHANGELOG.md": String(right["CHANGELOG.md"]).replace("# Changelog", "# Changelog "),
      }),
    ).toEqual(["CHANGELOG.md:1: trailing whitespace."]);
  });
});

describe("the version", () => {
  nightly("must be raised where it is defined", async () => {
    const old = await readFile(join(scene.sample, "package.json"), "utf8");
    expect(await problemsWith({ "package.json": old })).toEqual([
      "package.json:3: still says version 1.1.0, not 1.2.0.",
    ]);
    expect(await problemsWith({ VERSION: "v1.1.0\n" })).toEqual([
      "VERSION:1: still says version 1.1.0, not 1.2.0.",
    ]);
  });

  nightly(
    "is not looked for in scripts, dependencies and packages that are called version",
    async () => {
      const named = {
        version: "1.2.0",
        scripts: { version: "date" },
        dependencies: { version: "^9.0.0" },
      };
      const lock = {
        name: "door",
        version: "1.2.0",
        packages: { "": named, "node_modules/version": { version: "9.0.0" } },
      };
      const files = { "package.json": named, "package-lock.json": lock };
      const texts = Object.entries(files).map(([name, value]) => [
        name,
        `${JSON.stringify(value, null, "\t")}\n`,
      ]);
      expect(await problemsWith(Object.fromEntries(texts))).toEqual([]);
    },
  );

  nightly("must be the one that the goal asks for", async () => {
    expect(await problemsWith({}, "1.3.0")).toContain("The goal does not ask for version 1.3.0.");
  });

  nightly.each([
    ["npm install @sett/door@1.1.0", true],
    ["Version: **1.1.0**", true],
    ["door v1.1.0", true],
    ["/releases/v1.1.0/door-1.1.0.tar.gz", true],
    ["Changed in version 1.1.0", false],
    ["until door 1.1.0 it was silent", false],
    ["door 11.1.0, door 1.1.0.5 and door 1.1.01", false],
    ["handle 1.1.0", false],
  ])("in a README the line %j repeats the old one: %p", async (line, isStale) => {
    const problems = isStale ? ["README.md:1: still says version 1.1.0, not 1.2.0."] : [];
    expect(await problemsWith({ "README.md": `${line}\n` })).toEqual(problems);
  });
});
