// Moves goals from the blackboard into an archive. At every moment each of them stands whole in one place or the other.
import type { Blackboard } from "../../../lib/blackboard/port.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { Actor } from "../../../lib/model/event.ts";
import type { ArtefactId, GoalId } from "../../../lib/model/ids.ts";
import type { ArchiveHeader } from "../archive/format.ts";
import { eventPages } from "../archive/log-order.ts";
import { type Archive, writeArchive } from "../archive/write.ts";
import { readWhole } from "../facts/artefacts.ts";
import type { Chosen } from "./choose.ts";

/** A script holds everybody up while it runs. */
const removedAtOnce = 50;

export type Moved = { goals: Chosen[]; artefacts: number; events: number; bytes: number; sha256: string };

type Order = { path: string; header: ArchiveHeader; actor: Actor; file: string; signal: AbortSignal };

/**
 * Goals that have moved since they were chosen stay. Interrupted before the archive is safe, nothing has happened; after that the next run does the
 * rest. Throws `archive-unusable`, and `interrupted`.
 */
export async function moveGoals(board: Blackboard, chosen: readonly Chosen[], order: Order): Promise<Moved> {
  const goals: Chosen[] = [];
  try {
    for (const goal of chosen) {
      stopIf(order.signal, "Nothing was removed.");
      const { id, artefacts, claims } = goal;
      if ((await board.retireGoal({ goal: id, artefacts, claims })).outcome === "retired") goals.push(goal);
    }
    return await archiveAndRemove(board, goals, order);
  } catch (error) {
    if (!(error instanceof AfterArchive)) for (const { id, isRetired } of goals) if (!isRetired) await board.reinstateGoal(id);
    throw error instanceof AfterArchive ? error.cause : error;
  }
}

/** What stands in the archive may be partly gone from the blackboard: there is no way back. */
class AfterArchive extends Error {}

async function archiveAndRemove(
  board: Blackboard,
  goals: Chosen[],
  { path, header, actor, file, signal }: Order,
): Promise<Moved> {
  const ids = new Set(goals.map(({ id }) => id));
  // What is told of them from here on stays in the log.
  const end = await board.endOfEvents();
  let events = 0;
  const sha256 = await writeArchive(path, header, async (archive) => {
    for (const goal of goals) {
      stopIf(signal, "Nothing was removed.");
      await addGoal(board, goal, archive);
    }
    for await (const page of eventPages(board, end)) {
      stopIf(signal, "Nothing was removed.");
      for (const event of page) {
        if (event.goal_id === undefined || !ids.has(event.goal_id)) continue;
        await archive.add({ event });
        events += 1;
      }
    }
  });
  const sum = (of: (goal: Chosen) => number) => goals.reduce((total, goal) => total + of(goal), 0);
  const moved = { goals, artefacts: sum((goal) => goal.artefacts), events, bytes: sum((goal) => goal.bytes), sha256 };
  try {
    const { artefacts, bytes } = moved;
    const data = { file, sha256, goals: goals.length, artefacts, events, bytes, before: header.before };
    await board.logEvent({ type: "goals_pruned", data }, actor);
    await remove(board, ids, end, signal);
  } catch (error) {
    throw new AfterArchive("", { cause: error });
  }
  return moved;
}

async function addGoal(board: Blackboard, { id, state, ended, artefacts, claims }: Chosen, archive: Archive): Promise<void> {
  await archive.add({ goal: { id, state, ended, artefacts, claims } });
  const ids = await board.listArtefactsOfGoal(id);
  for await (const artefact of readWhole(board, ids)) await archive.add({ artefact });
  for (const artefact of ids) await addClaims(board, artefact, archive);
  const answers = await board.answersOf(ids);
  for (const [index, answer] of answers.entries()) if (answer !== undefined) await archive.add({ question: ids[index], answer });
}

async function addClaims(board: Blackboard, artefact: ArtefactId, archive: Archive): Promise<void> {
  for (const [cause, id] of await board.claimsOfArtefact(artefact)) {
    const snapshot = await board.readClaim(id);
    if (snapshot !== undefined) await archive.add({ ...snapshot, cause });
  }
}

/** Events first: a goal that still stands is found again by the next run, whatever else has gone. */
async function remove(board: Blackboard, goals: ReadonlySet<GoalId>, end: string, signal: AbortSignal): Promise<void> {
  const rest = "The archive is whole; `sett prune` again removes what is left of these goals.";
  for await (const page of eventPages(board, end)) {
    stopIf(signal, rest);
    const gone = page.filter(({ goal_id }) => goal_id !== undefined && goals.has(goal_id));
    await board.removeEvents(gone.map(({ id }) => id));
  }
  for (const goal of goals) {
    stopIf(signal, rest);
    while ((await board.removeOfGoal(goal, removedAtOnce)).left > 0) stopIf(signal, rest);
  }
}

function stopIf(signal: AbortSignal, hint: string): void {
  if (signal.aborted) throw new SettError("interrupted", "Interrupted.", { hint });
}
