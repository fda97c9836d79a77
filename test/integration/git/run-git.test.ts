// The limits of each run of git, with small programs in git's place.
import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { harmlessArgs } from "../../../lib/git/run/harmless.ts";
import { type Git, isRunningGit, pipeGit, runGit, tryGit } from "../../../lib/git/run/run-git.ts";
import { temporaryFolder } from "../../support/git/sample-repository.ts";

function standIn(folder: string, script: string, limits: NonNullable<Git["limits"]>): Git {
  const path = join(folder, "git stand-in");
  writeFileSync(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return { path, env: { PATH: process.env.PATH }, limits };
}

test("a git that does not end is ended, and the error says so", async () => {
  using folder = temporaryFolder();
  const git = standIn(folder.path, "exec sleep 3600", { timeMs: 200 });
  await expect(runGit(git, { args: ["status"] })).rejects.toThrow(
    "git status failed: it did not end within 0.2 s",
  );
});

/**
 * A stand-in that takes a processor until it has moved for longer than it may be still: it is
 * looked at twenty times in `stillMs`. `burning`: what it does until the file of the name is there.
 */
function movingStandIn(folder: string, burning: (until: string) => string): Git {
  const file = join(folder, "go on");
  const script = `${burning(`while [ ! -e '${file}' ]; do :; done`)}; echo done`;
  let moves = 0;
  const onMove = () => {
    if (++moves === 30) writeFileSync(file, "");
  };
  return { ...standIn(folder, script, { stillMs: 1_000 }), onMove };
}

test("a git that moves is finished, however long it takes", async () => {
  using folder = temporaryFolder();
  const git = movingStandIn(folder.path, (until) => until);
  expect(await runGit(git, { args: ["checkout"] })).toBe("done\n");
}, 120_000);

test("a git in which nothing moves is ended, and the error says so", async () => {
  using folder = temporaryFolder();
  const git = standIn(folder.path, "echo Hello; exec sleep 3600", { stillMs: 300 });
  await expect(runGit(git, { args: ["checkout"] })).rejects.toThrow(
    "git checkout failed: nothing has moved in it for 0.3 s",
  );
});

test("a git that waits for a program of its own is finished while that one moves", async () => {
  using folder = temporaryFolder();
  // It writes nothing, and waits without a sign of its own.
  const git = movingStandIn(folder.path, (until) => `sh -c "${until}"`);
  expect(await runGit(git, { args: ["status"] })).toBe("done\n");
}, 120_000);

test("a git that reads from another one may wait as long as that one moves", async () => {
  using folder = temporaryFolder();
  using other = temporaryFolder();
  const from = movingStandIn(folder.path, (until) => until);
  const to = standIn(other.path, "exec cat", { stillMs: 1_000 });
  const run = { args: ["status"] };
  expect(await pipeGit({ git: from, run }, { git: to, run })).toBe("done\n");
}, 120_000);

test("a git that costs more of a processor than it may is ended, and the error says so", async () => {
  using folder = temporaryFolder();
  const git = standIn(folder.path, "while :; do :; done", { stillMs: 1_000, processorMs: 500 });
  await expect(runGit(git, { args: ["index-pack"] })).rejects.toThrow(
    "git index-pack failed: it took more than 0.5 s of a processor",
  );
}, 120_000);

test("a git that writes without end is ended, and the error says so", async () => {
  using folder = temporaryFolder();
  const git = standIn(folder.path, "exec yes", { stdoutBytes: 100_000 });
  await expect(runGit(git, { args: ["status"] })).rejects.toThrow(
    "git status failed: it wrote more than 100000 bytes",
  );
});

test("of what a git says on stderr the end is kept", async () => {
  using folder = temporaryFolder();
  const git = standIn(
    folder.path,
    "yes | head -c 10000000 >&2; echo 'fatal: the end' >&2; exit 1",
    {},
  );
  const result = await tryGit(git, { args: ["status"] });
  expect(result.stderr.length).toBeLessThan(100_000);
  expect(result.stderr).toEndWith("fatal: the end\n");
});

test.if(process.platform === "linux")(
  "a git gets no more memory than it may, and all its words as they are",
  async () => {
    using folder = temporaryFolder();
    const git = standIn(folder.path, 'ulimit -v; for word in "$@"; do echo "<$word>"; done', {
      memoryBytes: 512 * 1024 * 1024,
    });
    const said = await runGit(git, { args: ["status", "a  b", "$HOME", ""] });
    expect(said.split("\n").at(0)).toBe("524288");
    expect(said).toEndWith("<status>\n<a  b>\n<$HOME>\n<>\n");
  },
);

test.each([
  ["sleep 3600", "it left a program behind that kept its output open"],
  [
    "sh -c 'while echo x; do sleep 0.1; done'",
    "it left a program behind that kept its output open",
  ],
])(
  "a program that a git has left behind does not keep its caller waiting: %s",
  async (left, problem) => {
    using folder = temporaryFolder();
    const git = standIn(folder.path, `${left} & echo $! >'${folder.path}/pid'; echo done`, {
      stillMs: 4_000,
    });
    try {
      const reason = `git status failed: ${problem}`;
      await expect(runGit(git, { args: ["status"] })).rejects.toThrow(reason);
    } finally {
      endQuietly(Number(readFileSync(join(folder.path, "pid"), "utf8")));
    }
  },
  120_000,
);

/** The one that writes has ended when its pipe was closed. */
function endQuietly(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has.
  }
}

test("a git is known as one of this program's own until it has ended", async () => {
  using folder = temporaryFolder();
  const git = standIn(folder.path, "echo $$; exec sleep 3600", { timeMs: 100_000 });
  let pid = 0;
  let wasRunning: boolean | undefined;
  const onStdout = (chunk: Uint8Array) => {
    pid = Number(Buffer.from(chunk).toString());
    wasRunning = isRunningGit(pid);
    process.kill(pid, "SIGKILL");
  };
  await tryGit(git, { args: ["status"], onStdout });
  expect([wasRunning, isRunningGit(pid)]).toEqual([true, false]);
}, 120_000);

test("the options with which nothing is started come after the subcommand, whatever comes before it", () => {
  expect(harmlessArgs(["--git-dir=x", "-c", "a.b=c", "diff", "--", "x"])).toEqual([
    ...["--git-dir=x", "-c", "a.b=c", "diff", "--no-ext-diff", "--no-textconv", "--", "x"],
  ]);
  expect(harmlessArgs(["--git-dir=x", "status"])).toEqual(["--git-dir=x", "status"]);
});

test("a git that is not there is reported as missing, with limits and without", async () => {
  for (const limits of [{}, { memoryBytes: 1024 ** 3 }]) {
    const git = { path: "/nowhere/git", env: { PATH: process.env.PATH }, limits };
    await expect(runGit(git, { args: ["status"] })).rejects.toThrow(
      "git cannot be started as /nowhere/git",
    );
  }
});
