// Signals to a tool's whole process group.
import process from "node:process";

/**
 * Whether the group still had a member. The group outlives its leader, so this also reaches grandchildren after the leader has gone; Linux
 * gives the number to no new process while a member is left.
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
