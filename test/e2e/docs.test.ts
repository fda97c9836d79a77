// The shell blocks of docs/start.md and, at night, of docs/operations.md and each guide do what the
// page says: each page's are typed in order, as they are printed, into one shell in a new
// repository. A command that fails ends the page. test/unit/docs/typed-commands.test.ts reads the
// commands of all pages in each run.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import process from "node:process";
import { $ } from "bun";
import { finished } from "../support/cli/finished.ts";
import { blocksOf, pagesOfRepository, readPage } from "../support/docs/pages.ts";
import { linesNotPrinted, shownLinesOf } from "../support/docs/shown-output.ts";
import { isNight } from "../support/nightly.ts";
import { root } from "../support/root.ts";

/**
 * Pages that show output of commands that they do not type, each with the reason. Every other line
 * that a page shows, its commands print.
 */
const untyped: Record<string, string> = {
  "docs/guides/api.md": "the requests go to an API of some other instance",
  "docs/guides/by-hand.md":
    "the address and the key of Redis differ, and a function of Redis answers",
  "docs/guides/ci.md": "a runner of CI prints it; test/e2e/ci-guide.nightly.test.ts runs its steps",
  "docs/guides/telemetry.md": "the port is free to differ",
  "docs/guides/triggers.md": "a trigger fires at night",
  "docs/guides/write-an-agent.md": "a terminal shows the log as text, and here is none",
};

const isTyped = (page: string) => /^docs\/(?:start|operations|guides\/[^/]+)\.md$/.test(page);
const shellBlocksOf = (page: string) =>
  blocksOf(readPage(page)).filter(({ language }) => language === "sh");
/** It is how people begin. */
const byDay = ["docs/start.md"];
const pages = (await pagesOfRepository()).filter(
  (page) => isTyped(page) && shellBlocksOf(page).length > 0 && (isNight || byDay.includes(page)),
);

/**
 * Pages that are about containers. All others are typed at a sett without Docker, which is up in a
 * third of the time.
 */
const inContainers = ["docs/start.md", "docs/operations.md", "docs/guides/by-hand.md"];

/** A sett without Docker, wherever `sett up` does not name a runtime itself. */
const withoutDocker = `#!/bin/sh
case "$*" in
  *--runtime*) ;;
  up*) shift; set -- up --runtime process "$@" ;;
  eval*) shift; set -- eval --runtime process "$@" ;;
esac
exec ${join(root, "bin/sett")} "$@"
`;

let home: string;

beforeAll(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), "sett-docs-")));
  await mkdir(join(home, "bin"));
  await writeFile(join(home, "bin/sett"), withoutDocker, { mode: 0o755 });
  await writeFile(
    join(home, ".gitconfig"),
    "[user]\nname = Ada Lovelace\nemail = ada@sett.invalid\n[init]\ndefaultBranch = main\n",
  );
});

afterAll(async () => {
  await rm(home, { recursive: true, force: true });
});

/**
 * The place of a person who reads the page: no terminal, this program `sett`, and this machine's
 * Engine.
 */
function surroundings(page = ""): Record<string, string> {
  const { PATH = "", DOCKER_HOST, TMPDIR } = process.env;
  return {
    PATH: `${join(inContainers.includes(page) ? root : home, "bin")}:${PATH}`,
    HOME: home,
    XDG_STATE_HOME: join(home, "state"),
    LANG: "C.UTF-8",
    ...(DOCKER_HOST === undefined ? {} : { DOCKER_HOST }),
    ...(TMPDIR === undefined ? {} : { TMPDIR }),
  };
}

/** A script that types the blocks, and says at its end in which of them a command has failed. */
function scriptOf(page: string): string {
  const tell = `trap 'code=$?; test $code = 0 || echo "${page}:$block: exit code $code" >&2' EXIT`;
  return [
    "set -eu",
    tell,
    ...shellBlocksOf(page).map(({ line, code }) => `block=${line}\n${code}`),
  ].join("\n");
}

/** The instances of repositories below this folder. */
async function instancesBelow(folder: string): Promise<string[]> {
  const listed = await $`sett list --json`.env(surroundings()).quiet().nothrow();
  const instances: { name: string; workspace: string }[] =
    listed.exitCode === 0 ? listed.json() : [];
  return instances.filter(({ workspace }) => workspace.startsWith(folder)).map(({ name }) => name);
}

test.each(pages)(
  "%s says what can be typed, and what comes of it",
  async (page) => {
    // The instance is called after the folder, and the name is this run's own.
    const name = `${basename(page, ".md")}-${crypto.randomUUID().slice(0, 8)}`;
    // Some pages make files and repositories beside the first one.
    const place = join(home, "places", name);
    const folder = join(place, name);
    await mkdir(folder, { recursive: true });
    const options = {
      cwd: folder,
      env: surroundings(page),
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    } as const;
    await $`git init --quiet && git commit --quiet --allow-empty -m Begin`
      .cwd(folder)
      .env(surroundings());
    try {
      const { code, out, err } = await finished(Bun.spawn(["bash", "-c", scriptOf(page)], options));
      if (code !== 0) throw new Error(`${err}${out}`);
      const shown = untyped[page] === undefined ? shownLinesOf(readPage(page)) : [];
      expect({ notPrinted: linesNotPrinted(shown, `${out}\n${err}`) }).toEqual({ notPrinted: [] });
    } finally {
      for (const instance of await instancesBelow(place))
        await $`sett down --name ${instance} --volumes --force --timeout 1s`
          .cwd(folder)
          .env(surroundings())
          .quiet()
          .nothrow();
    }
    expect(await instancesBelow(place)).toEqual([]);
  },
  900_000,
);
