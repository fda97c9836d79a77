// Process 1 of a pid namespace, as the cub is in its container: runs gits that leave processes
// behind, and ends these.
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CleanSlate } from "../../../apps/cub/container/clean-slate.ts";
import { tryGit } from "../../../lib/git/run/run-git.ts";
import { readProcesses } from "../../../lib/process/process-table.ts";
import { waitFor } from "../wait-for.ts";

const alone = ["--pid", "--fork", "--mount-proc", "--kill-child"];

export function canBeAlone(): boolean {
  return process.platform === "linux" && spawnSync("unshare", [...alone, "true"]).status === 0;
}

/** Returns what is left, as JSON, and what went wrong. */
export function endAlone(): { stdout: string; stderr: string } {
  return spawnSync("unshare", [...alone, process.execPath, import.meta.path], {
    encoding: "utf8",
    timeout: 120_000,
  });
}

async function end(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "sett-slate-"));
  const standIn = (name: string, script: string) => {
    const path = join(folder, name);
    writeFileSync(path, `#!/bin/sh\n${script}\n`);
    chmodSync(path, 0o755);
    return { path, env: { PATH: process.env.PATH } };
  };
  const living = () => readProcesses().filter(({ pid, isZombie }) => pid !== 1 && !isZombie);

  try {
    if (process.pid !== 1) throw new Error("This is for process 1 alone.");
    const slate = new CleanSlate({ warn: console.error });
    const started = Promise.withResolvers<number>();
    const onStdout = (chunk: Uint8Array) => started.resolve(Number(Buffer.from(chunk).toString()));
    const during = tryGit(standIn("lasting", "echo $$; exec sleep 3600"), {
      args: ["status"],
      onStdout,
    });
    const own = await started.promise;

    const left = "( sleep 3600 & exec sleep 3600 ) </dev/null >/dev/null 2>&1 &";
    await tryGit(standIn("leaving", `${left}\nsetsid sleep 3600 </dev/null >/dev/null 2>&1 &`), {
      args: ["status"],
    });
    const ownGroup = () => readProcesses().find(({ pid }) => pid === 1)?.group;
    const countInOwnGroup = () => living().filter(({ group }) => group === ownGroup()).length;
    const counts = () => ({ before: living().length, inOwnGroup: countInOwnGroup() });
    // A shell has not started all of its own when it ends.
    const isAllThere = () => living().length === 4 && countInOwnGroup() === 3 && counts();
    const there = await waitFor("all that was left, one in a session of its own", isAllThere, {
      happened: async () => JSON.stringify(counts()),
    });
    await slate.end();
    const after = living().map(({ pid }) => pid);
    const command = readFileSync(`/proc/${own}/cmdline`, "utf8").split("\0")[0];
    process.kill(own, "SIGKILL");
    const { exitCode } = await during;
    console.log(
      JSON.stringify({
        ...there,
        spared: after.length === 1 && after[0] === own,
        command,
        exitCode,
      }),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) await end();
