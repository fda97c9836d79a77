// `sett up` where there is no sett.yml yet: one command to a first sett, and nothing without the
// person's consent.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { chmod, mkdir, mkdtemp, readdir, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $ } from "bun";
import { settOnTerminal } from "../../support/cli/pseudo-terminal.ts";
import { runSett } from "../../support/cli/sett-process.ts";
import { nightly } from "../../support/nightly.ts";

const written = [
  "agents/example-agent/Dockerfile",
  "agents/example-agent/README.md",
  "agents/example-agent/run.sh",
  "sett.schema.json",
  "sett.yml",
];

let base: string;
let folder: string;
let env: Record<string, string>;

beforeEach(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "sett-first-")));
  folder = join(base, "garden");
  env = {
    HOME: base,
    XDG_STATE_HOME: join(base, "state"),
    DOCKER_HOST: `unix://${join(base, "no-engine.sock")}`,
  };
  await mkdir(folder);
});

afterEach(async () => {
  await sett("down", "--volumes", "--timeout", "1s");
  await rm(base, { recursive: true, force: true });
});

const sett = (...words: string[]) => runSett(words, { cwd: folder, env });
const git = (...words: string[]) =>
  $`git ${words}`.cwd(folder).env({ PATH: process.env.PATH, HOME: base }).quiet();
const lines = async (...words: string[]) =>
  (await git(...words).text()).split("\n").filter((line) => line !== "");

async function beginRepository(): Promise<void> {
  await git("init", "--quiet", "--initial-branch=main");
  await git("config", "user.name", "Ada Lovelace");
  await git("config", "user.email", "ada@sett.invalid");
}

/** Neither files nor commits nor an index: as `git init` has left it. */
async function expectUntouched(): Promise<void> {
  expect(await readdir(folder)).toEqual([".git"]);
  expect(await lines("status", "--porcelain")).toEqual([]);
  expect((await git("rev-parse", "--verify", "--quiet", "HEAD").nothrow()).exitCode).toBe(1);
}

test("--yes writes, commits and starts a sett in an empty repository, from any folder of it, and nothing else is committed", async () => {
  await beginRepository();
  await git("config", "remote.mirror.fetch", "+refs/*:refs/*");
  const below = join(folder, "below");
  await mkdir(below);
  const { code, out, err } = await runSett(["up", "--yes", "--runtime", "process"], {
    cwd: below,
    env,
  });
  expect(err).toContain("“Add a sett”");
  expect(err).toContain("`git config --add remote.mirror.fetch '^refs/sett*'`");
  expect([code, out]).toEqual([0, "garden is up: redis, orchestrator, example-agent\n"]);
  expect(await lines("ls-tree", "-r", "--name-only", "HEAD")).toEqual(written);
  expect(await lines("log", "--format=%an <%ae> %s")).toEqual([
    "Ada Lovelace <ada@sett.invalid> Add a sett",
  ]);
  expect(await lines("status", "--porcelain")).toEqual([]);
  expect(await readdir(below)).toEqual([]);
  expect((await sett("forage", "--goal", "hello", "--watch")).code).toBe(0);
});

test("in a pipe without --yes it says which command would, and writes nothing", async () => {
  await beginRepository();
  const { code, err } = await sett("up", "--runtime", "process");
  expect(code).toBe(2);
  expect(err).toContain(`There is no sett.yml in ${folder}.`);
  expect(err).toContain("sett up --yes");
  await expectUntouched();
});

test("outside a repository it says to make one; so does forage", async () => {
  for (const words of [
    ["up", "--yes"],
    ["forage", "--goal", "hello"],
  ]) {
    const { code, err } = await sett(...words);
    expect(code).not.toBe(0);
    expect(err).toContain("is not in a git repository");
    expect(err).toContain("git init && sett up");
  }
  expect(await readdir(folder)).toEqual([]);
});

test("beside changes that are not committed nothing is written, and what is staged stays staged", async () => {
  await beginRepository();
  await writeFile(join(folder, "draft.txt"), "mine");
  await git("add", "draft.txt");
  const { code, err } = await sett("up", "--yes", "--runtime", "process");
  expect(code).not.toBe(0);
  expect(err).toContain("  A  draft.txt");
  expect(err).toContain("sett up --yes");
  expect(await lines("status", "--porcelain")).toEqual(["A  draft.txt"]);
});

nightly("files of the same names are named and kept", async () => {
  await beginRepository();
  await mkdir(join(folder, "agents/example-agent"), { recursive: true });
  await writeFile(join(folder, "agents/example-agent/run.sh"), "mine");
  await git("add", "--all");
  await git("commit", "--quiet", "--message=Begin");
  const { code, err } = await sett("up", "--yes", "--runtime", "process");
  expect(code).toBe(2);
  expect(err).toContain("  agents/example-agent/run.sh\n");
  expect(await lines("status", "--porcelain")).toEqual([]);
});

nightly.each([
  [
    "a hook refuses the commit",
    "pre-commit",
    "echo 'error: not on a Sunday' >&2; exit 1",
    "not on a Sunday",
  ],
  ["git does not know who commits", "", "", 'git config --global user.name "…"'],
])("where %s, all is as it was before", async (_, hook, script, reason) => {
  await beginRepository();
  if (hook === "") {
    await git("config", "--unset", "user.email");
    await git("config", "user.useConfigOnly", "true");
  } else {
    await mkdir(join(folder, ".git/hooks"), { recursive: true });
    await writeFile(join(folder, ".git/hooks", hook), `#!/bin/sh\n${script}\n`);
    await chmod(join(folder, ".git/hooks", hook), 0o755);
  }
  const { code, err } = await sett("up", "--yes", "--runtime", "process");
  expect(code).toBe(1);
  expect(err).toContain("cannot be committed");
  expect(err).toContain(reason);
  await expectUntouched();
});

nightly.each([
  // As `gpg` without a terminal, and as `ssh-keygen` without the key.
  ["openpgp", "echo 'gpg: signing failed: Inappropriate ioctl for device' >&2; exit 2"],
  ["ssh", "echo 'Load key \"/none\": No such file or directory' >&2; exit 255"],
])(
  "where the signer of commits (%s) cannot ask for a passphrase, the hint says how to let it, and all is as before",
  async (format, script) => {
    await beginRepository();
    const signer = join(base, "sign");
    await writeFile(signer, `#!/bin/sh\n${script}\n`);
    await chmod(signer, 0o755);
    for (const [name, value] of [
      ["commit.gpgsign", "true"],
      ["user.signingkey", "/none"],
      ["gpg.format", format],
      [format === "ssh" ? "gpg.ssh.program" : "gpg.program", signer],
    ] as const)
      await git("config", name, value);
    const { code, err } = await sett("up", "--yes", "--runtime", "process");
    expect(code).toBe(1);
    expect(err).toContain("cannot be committed");
    expect(err).toContain(`Your commits are signed (commit.gpgsign), by ${signer}, which`);
    expect(err).toContain("export GPG_TTY=$(tty)");
    await expectUntouched();
  },
);

nightly("where git ignores one of the files, it is named, and nothing is begun", async () => {
  await beginRepository();
  await writeFile(join(folder, ".git/info/exclude"), "sett.yml\n");
  const { code, err } = await sett("up", "--yes", "--runtime", "process");
  expect(code).toBe(1);
  expect(err).toContain("git ignores sett.yml.");
  expect(err).toContain("git check-ignore --verbose sett.yml");
  await expectUntouched();
});

nightly("where no Docker Engine answers, nothing is begun", async () => {
  await beginRepository();
  const { code, err } = await sett("up", "--yes");
  expect(code).toBe(1);
  expect(err).toContain("The Docker Engine does not answer");
  await expectUntouched();
});

test("on a terminal it asks: no leaves everything alone, yes goes on", async () => {
  await beginRepository();
  const up = ["up", "--runtime", "process"];
  await using refused = settOnTerminal(up, {
    cwd: folder,
    env: { ...env, NO_COLOR: "1" },
    columns: 120,
  });
  await refused.showing("the question", (screen) => screen.lines.join("\n").includes("[y/N]"));
  refused.type("\r");
  expect(await refused.exited).toBe(2);
  expect(refused.raw()).toContain("none was written");
  await expectUntouched();

  await using agreed = settOnTerminal(up, {
    cwd: folder,
    env: { ...env, NO_COLOR: "1" },
    columns: 120,
  });
  await agreed.showing("the question", (screen) => screen.lines.join("\n").includes("[y/N]"));
  agreed.type("y\r");
  expect(await agreed.exited).toBe(0);
  expect(await lines("ls-tree", "-r", "--name-only", "HEAD")).toEqual(written);
});

test("where a sparse checkout leaves out the sett.yml of the commit, none is written, and the hint brings it", async () => {
  await beginRepository();
  await writeFile(join(folder, "sett.yml"), "version: '1.0'\nagents: {}\n");
  await mkdir(join(folder, "agents"));
  await writeFile(join(folder, "agents/list"), "none\n");
  await git("add", "-A");
  await git("commit", "--quiet", "-m", "Begin");
  await git("sparse-checkout", "set", "--no-cone", "/agents/");
  expect((await readdir(folder)).toSorted()).toEqual([".git", "agents"]);
  for (const words of [["up"], ["up", "--yes"]]) {
    const { code, err } = await sett(...words);
    expect(code).not.toBe(0);
    expect(err).toContain(`sett.yml is in the commits of ${folder}, and not in the folder.`);
  }
  await git("sparse-checkout", "add", "sett.yml");
  expect((await readdir(folder)).toSorted()).toEqual([".git", "agents", "sett.yml"]);
});
