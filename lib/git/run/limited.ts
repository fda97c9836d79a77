// How much git may take for data that agents have made.
import type { Git } from "./run-git.ts";

/** Settings with which git stays within its limits on correct data. */
const settings = [
  "core.bigFileThreshold=32m",
  "core.packedGitWindowSize=32m",
  "core.packedGitLimit=256m",
  "pack.threads=1",
  "pack.windowMemory=128m",
];

/**
 * On the host. Others decide what git costs here, however much it moves: so many minutes of a
 * processor, and on a busy machine an hour.
 */
export function limited(git: Git, other: Git["limits"] = {}): Git {
  const usual = {
    memoryBytes: 2 * 1024 * 1024 * 1024,
    processorMs: 10 * 60_000,
    timeMs: 3_600_000,
    stdoutBytes: 64 * 1024 * 1024,
  };
  return { ...git, limits: { ...usual, ...other }, settings };
}

/**
 * In an agent's container, where there may be no shell that could limit all of git's memory, and
 * where what is published must be within the host's limits. Each single thing that git has in
 * memory is limited instead, of which it has three at a time: an object, that which it differs
 * from, and the difference. No git makes larger differences by itself.
 */
export function limitedInContainer(git: Git): Git {
  const env = { ...git.env, GIT_ALLOC_LIMIT: `${512 * 1024 * 1024}` };
  return { ...git, env, settings: [...(git.settings ?? []), ...settings] };
}
