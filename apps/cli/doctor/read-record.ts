// Compares the whole record of an instance with its digests, and the log with its own counts.
import type { PersonBlackboard } from "../../../lib/blackboard/port/holders.ts";
import { artefactList, forwards, goalList } from "../../../lib/client/facts/pages.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { ArtefactId, GoalId } from "../../../lib/model/ids.ts";
import { shortId } from "../../../lib/words/short-id.ts";
import { lostSince, type NotedLog } from "../facts/noted-log.ts";
import { goalsThatWait, type Retention } from "../instance/retention.ts";
import { type Connectable, connect } from "../instance/session.ts";
import type { RecordFacts } from "./facts.ts";
import { silent } from "./read-redis.ts";

const answerWithinMs = 3_000;

/** Reads every payload once, a few megabytes at a time. */
export async function readRecord(
  place: Connectable,
  { retention, noted }: { retention: Retention | undefined; noted?: NotedLog | undefined },
): Promise<RecordFacts> {
  try {
    await using board = await connect(place, answerWithinMs);
    const overwritten: ArtefactId[] = [];
    let artefacts = 0;
    for await (const page of forwards(artefactList(board, undefined), 0)) {
      artefacts += page.length;
      overwritten.push(...(await board.findOverwritten(page)));
    }
    const goalsMs = retention?.goals_ms;
    const waiting = goalsMs === undefined ? undefined : await goalsThatWait(board, goalsMs);
    const { lost } = await board.countLostEvents();
    return {
      state: "answers",
      artefacts,
      overwritten,
      ...(await brokenAndArchived(board)),
      lost,
      fewer: await lostSince(board, noted),
      waiting,
    };
  } catch (error) {
    if (error instanceof SettError) return silent(error);
    throw error;
  }
}

/** Names what is malformed as people do: `claim 01234567`. */
async function brokenAndArchived(
  board: PersonBlackboard,
): Promise<{ malformed: string[]; archived: GoalId[] }> {
  const malformed: string[] = [];
  const archived: GoalId[] = [];
  for await (const page of forwards(goalList(board), 0)) {
    const records = await Promise.all(page.map((goal) => board.readGoal(goal)));
    archived.push(...page.filter((_, at) => records[at]?.archived !== undefined));
    malformed.push(
      ...page.filter((_, at) => records[at]?.isMalformed).map((goal) => `goal ${shortId(goal)}`),
    );
  }
  await board.readClaims(await board.listOpenClaims(), ({ claim }) =>
    malformed.push(`claim ${shortId(claim)}`),
  );
  return { malformed, archived };
}
