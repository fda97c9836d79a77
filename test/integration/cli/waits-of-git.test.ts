// Shows what a person's own git waits for is named, and ending it leaves index and files as they
// were.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $ } from "bun";
import { runSett, startSett } from "../../support/cli/sett-process.ts";
import { isNight, nightly } from "../../support/nightly.ts";
import { waitFor } from "../../support/wait-for.ts";

let base: string;
let folder: string;
let env: Record<string, string>;
const git = (...words: string[]) =>
  $`git ${words}`.cwd(folder).env({ PATH: process.env.PATH, HOME: base }).quiet();
const indexOf = async () => new Uint8Array(await readFile(join(folder, ".git/index")));
const status = async () => await git("status", "--porcelain").text();

beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "sett-waits-")));
  folder = join(base, "garden");
  env = {
    HOME: base,
    XDG_STATE_HOME: join(base, "state"),
    DOCKER_HOST: `unix://${join(base, "no-engine.sock")}`,
  };
  await mkdir(folder);
  await git("init", "--quiet", "--initial-branch=main");
  await git("config", "user.name", "Ada Lovelace");
  await git("config", "user.email", "ada@sett.invalid");
  await writeFile(join(folder, "README.md"), "Hello.\n");
  await git("add", "--all");
  await git("commit", "--quiet", "--message=Begin");
});

afterEach(async () => {
  await runSett(["down", "--volumes", "--timeout", "1s"], { cwd: folder, env });
  await rm(base, { recursive: true, force: true });
});

/**
 * A program that says that it has begun, and waits for the file `go`: as one that asks a person.
 */
async function waiting(path: string, then = "exit 1"): Promise<void> {
  await mkdir(join(path, ".."), { recursive: true });
  const lines = [
    "#!/bin/sh",
    `echo $$ > ${base}/begun`,
    `until [ -e ${base}/go ]; do sleep 0.1; done`,
    then,
  ];
  await writeFile(path, `${lines.join("\n")}\n`);
  await chmod(path, 0o755);
}
const hasBegun = () =>
  waitFor(
    "the program to begin",
    () => existsSync(join(base, "begun")) && readFile(join(base, "begun"), "utf8"),
  );

const up = () => startSett(["up", "--yes", "--runtime", "process"], { cwd: folder, env });

async function expectUntouched(index: Awaited<ReturnType<typeof indexOf>>): Promise<void> {
  expect((await readdir(folder)).sort()).toEqual([".git", "README.md"]);
  expect(await status()).toBe("");
  expect(await indexOf()).toEqual(index);
  expect((await readdir(join(folder, ".git"))).filter((name) => /lock|index-/.test(name))).toEqual(
    [],
  );
}

const slow: [string, string[]][] = [
  ["a signer", ["commit.gpgsign is set, and /", "/my sign signs"]],
  ["a hook", ["`git commit`", "the hook pre-commit may run"]],
  ["a hook of the index", ["`git add`", "the hook post-index-change may run"]],
  ["a filter", ["`git add`", "filter.slow.clean is set"]],
  ["a filter after the commit", ["`git add`", "filter.slow.clean is set"]],
];

// Each of them takes until `up` grows impatient: by day one way of git is enough.
test.each(isNight ? slow : slow.slice(0, 1))(
  "%s that takes its time is named while git waits for it, and the commit is made",
  async (which, words) => {
    if (which === "a signer") {
      await waiting(
        join(base, "my sign"),
        "cat > /dev/null; echo '[GNUPG:] SIG_CREATED ' >&2; echo signature",
      );
      await git("config", "commit.gpgsign", "true");
      await git("config", "gpg.program", join(base, "my sign"));
    } else if (which === "a hook of the index")
      await waiting(join(folder, ".git/hooks/post-index-change"), "exit 0");
    else if (which === "a hook") await waiting(join(folder, ".git/hooks/pre-commit"), "exit 0");
    else {
      await waiting(join(base, "clean"), "cat");
      if (which === "a filter after the commit") {
        const script = await readFile(join(base, "clean"), "utf8");
        const hasCommit = `[ "$(git -C ${folder} log -1 --format=%s)" = 'Add a sett' ] || exec cat`;
        await writeFile(join(base, "clean"), script.replace("\n", `\n${hasCommit}\n`));
      }
      await git("config", "filter.slow.clean", join(base, "clean"));
      await writeFile(join(folder, ".git/info/attributes"), "sett.yml filter=slow\n");
    }
    await using running = up();
    for (const each of words) await running.untilErr(each);
    await writeFile(join(base, "go"), "");
    expect(await running.exited).toBe(0);
    expect(await status()).toBe("");
    expect(await git("log", "-1", "--format=%s").text()).toBe("Add a sett\n");
  },
);

// A closed terminal is by day for all of them.
test.each(isNight ? (["SIGINT", "SIGTERM", "SIGHUP"] as const) : (["SIGHUP"] as const))(
  "%s while a hook waits ends the hook, and leaves index and files as they were",
  async (signal) => {
    const index = await indexOf();
    await waiting(join(folder, ".git/hooks/pre-commit"));
    await using running = up();
    const hook = Number(await hasBegun());
    running.signal(signal);
    expect(await running.exited).toBe({ SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }[signal]);
    expect(running.err()).toContain("Interrupted: nothing was committed.");
    await expectUntouched(index);
    await waitFor("the hook to end", () => !existsSync(`/proc/${hook}`));
  },
);

nightly(
  "SIGTERM while a signer waits ends the signer, and leaves index and files as they were",
  async () => {
    const index = await indexOf();
    await waiting(join(base, "sign"));
    await git("config", "commit.gpgsign", "true");
    await git("config", "gpg.program", join(base, "sign"));
    await using running = up();
    const signer = Number(await hasBegun());
    running.signal("SIGTERM");
    await running.exited;
    await expectUntouched(index);
    await waitFor("the signer to end", () => !existsSync(`/proc/${signer}`));
  },
);

nightly("killed at once while a hook waits, it leaves nothing staged", async () => {
  const index = await indexOf();
  await waiting(join(folder, ".git/hooks/pre-commit"));
  await using running = up();
  const hook = Number(await hasBegun());
  running.signal("SIGKILL");
  await running.exited;
  expect(await indexOf()).toEqual(index);
  // git is left to its hook, and commits nothing when that refuses.
  await writeFile(join(base, "go"), "");
  await waitFor("the hook to end", () => !existsSync(`/proc/${hook}`));
  expect(await indexOf()).toEqual(index);
});

nightly(
  "interrupted while a hook runs after the commit, the commit stays, and is said",
  async () => {
    await waiting(join(folder, ".git/hooks/post-commit"));
    await using running = up();
    await hasBegun();
    running.signal("SIGTERM");
    expect(await running.exited).toBe(143);
    expect(running.err()).toContain("the files are committed (“Add a sett”)");
    expect(await status()).toBe("");
    expect(await git("log", "-1", "--format=%s").text()).toBe("Add a sett\n");
  },
);
