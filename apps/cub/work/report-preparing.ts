// Says how far the workspace of a grant is, where it takes long: to the orchestrator, which notes
// it for people, and in the log.
import type { AgentBlackboard } from "../../../lib/blackboard/port/holders.ts";
import { messageOf } from "../../../lib/model/errors.ts";
import type { FileCount } from "../../../lib/model/preparing.ts";
import type { Deps } from "../program/deps.ts";
import type { Lease } from "./keep-lease.ts";

/** A workspace that is prepared sooner is not spoken of. */
const everyMs = 2_000;
/** The log has each so many of these reports. */
const reportsALine = 5;

/** `work` says what it knows of its progress; nothing is known before. Rejects when it does. */
export async function reportPreparing(
  {
    board,
    clock,
    log: cubLog,
  }: Pick<Deps, "clock" | "log"> & { board: Pick<AgentBlackboard, "notePreparing"> },
  lease: Lease,
  work: (onProgress: (progress: FileCount) => void) => Promise<void>,
  reportEveryMs = everyMs,
): Promise<void> {
  const log = cubLog.with({ claim_id: lease.claim, attempt: lease.attempt });
  const beganMs = clock.passedMs();
  let progress: FileCount = { files: 0, of: 0 };
  let reports = 0;
  // A `no` comes from an orchestrator that does not know the message, or from the end of the grant.
  let isWanted = true;
  const say = async (what: FileCount | "over") => {
    try {
      const noted = await board.notePreparing({ ...lease, progress: what });
      if (noted.outcome === "refused") isWanted = false;
    } catch (error) {
      log.warn("Could not say how far the workspace is", { error: messageOf(error) });
    }
  };
  let saying: Promise<void> | undefined;
  const timer = setInterval(() => {
    if (reports++ % reportsALine === 0) log.info("Preparing the workspace", countOf(progress));
    if (saying !== undefined || !isWanted) return;
    saying = say(progress).finally(() => {
      saying = undefined;
    });
  }, reportEveryMs);
  try {
    let [current, before] = [progress, 0];
    await work((each) => {
      // Each submodule is a checkout of its own, which follows the ones before.
      if (each.of !== current.of || each.files < current.files) before += current.of;
      current = each;
      progress = { files: before + each.files, of: before + each.of };
    });
  } finally {
    clearInterval(timer);
    if (reports > 0) {
      const duration_ms = Math.round(clock.passedMs() - beganMs);
      log.info("Prepared the workspace", { ...countOf(progress), duration_ms });
      // The command waits for none of it.
      if (isWanted) void Promise.resolve(saying).then(() => say("over"));
    }
  }
}

function countOf({ files, of }: FileCount): { files?: number; of?: number } {
  return of === 0 ? {} : { files, of };
}
