// Signals to a tool's whole process group.
import process from "node:process";

/**
 * True when the group still had a member. The group outlives its leader, so the signal also reaches
 * grandchildren after the leader has ended; Linux reuses the number only when no member is left.
 */
export function killGroup(leaderPid: number, signal: "SIGTERM" | "SIGKILL"): boolean {
  try {
    process.kill(-leaderPid, signal);
    return true;
  } catch (error) {
    const isGone = error instanceof Error && "code" in error && error.code === "ESRCH";
    return !isGone;
  }
}
