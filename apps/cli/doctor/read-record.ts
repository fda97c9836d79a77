// Compares the whole record of an instance with its digests, and the log with its own counts.
import type { PersonBlackboard } from "../../../lib/blackboard/port/holders.ts";
import { readHeads } from "../../../lib/client/facts/artefacts.ts";
import { artefactList, forwards, goalList } from "../../../lib/client/facts/pages.ts";
import type { ArtefactHead } from "../../../lib/model/artefact.ts";
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
    // The lists of goals are read first: an artefact comes onto both lists in one step.
    const ofGoals = await listedByGoals(board);
    const [overwritten, hidden]: [ArtefactId[], ArtefactId[]] = [[], []];
    const unlisted = new Set(ofGoals);
    let artefacts = 0;
    for await (const page of forwards(artefactList(board, undefined), 0)) {
      artefacts += page.length;
      const strangers = page.filter((id) => !ofGoals.has(id));
      overwritten.push(...(await board.findOverwritten(page)));
      hidden.push(...(await unlistedByGoals(board, await readHeads(board, strangers))));
      for (const id of page) unlisted.delete(id);
    }
    hidden.push(...(await readHeads(board, [...unlisted])).map(({ id }) => id));
    const goalsMs = retention?.goals_ms;
    const waiting = goalsMs === undefined ? undefined : await goalsThatWait(board, goalsMs);
    const { lost } = await board.countLostEvents();
    return {
      state: "answers",
      artefacts,
      overwritten,
      hidden,
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

async function listedByGoals(board: PersonBlackboard): Promise<Set<ArtefactId>> {
  const ids = new Set<ArtefactId>();
  for await (const goals of forwards(goalList(board), 0))
    for (const list of await Promise.all(goals.map((goal) => listOf(board, goal))))
      for (const id of list ?? []) ids.add(id);
  return ids;
}

/** Undefined for a goal that cannot be read, which is a finding of its own. */
async function listOf(board: PersonBlackboard, goal: GoalId): Promise<ArtefactId[] | undefined> {
  const { isMalformed } = await board.readGoal(goal);
  return isMalformed ? undefined : await board.listArtefactsOfGoal(goal);
}

/** An artefact that was made meanwhile is on its goal's list by now. */
async function unlistedByGoals(
  board: PersonBlackboard,
  heads: readonly ArtefactHead[],
): Promise<ArtefactId[]> {
  const goals = [...new Set(heads.map(({ goal_id: goal }) => goal))];
  const lists = new Map(
    await Promise.all(goals.map(async (goal) => [goal, await listOf(board, goal)] as const)),
  );
  return heads.flatMap(({ id, goal_id: goal }) =>
    lists.get(goal)?.includes(id) === false ? [id] : [],
  );
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
