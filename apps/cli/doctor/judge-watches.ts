// Judges how many watches of files (inotify) are left to the user who has the most.
import type { Finding } from "../facts/finding.ts";
import type { WatchFacts } from "./facts.ts";

const base = { subject: "machine", check: "watches of files" };
const nearlyAll = 0.75;

export function judgeWatches({ limit, user, used, most }: WatchFacts): Finding {
  const found =
    user === undefined ? `none of ${limit} in use` : `user ${user} has ${used} of ${limit}`;
  if (used < limit * nearlyAll || most === undefined) return { ...base, level: "ok", found };
  return {
    ...base,
    level: "warning",
    found: `${found}, ${most.count} of them in process ${most.pid} (${most.name})`,
    why: "The kernel counts those of all agents and of their user's own programs together. Where none is left, programs that watch files fail.",
    remedy: "End that process, or raise the limit: `sysctl fs.inotify.max_user_instances=1024`.",
  };
}
