// Moves goals from the blackboard into an archive. At every moment each goal is complete in one of
// the two.
import type { PersonBlackboard } from "../../../lib/blackboard/port/holders.ts";
import { readWhole } from "../../../lib/client/facts/artefacts.ts";
import { eventPages } from "../../../lib/client/facts/event-pages.ts";
import { ArchivedGoal } from "../../../lib/model/archived-goal.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { Actor, SettEvent } from "../../../lib/model/event.ts";
import type { FactDigest } from "../../../lib/model/fact.ts";
import type { ArtefactId, GoalId } from "../../../lib/model/ids.ts";
import { isLater } from "../../../lib/model/stream-id.ts";
import type { ArchiveHeader } from "../archive/format.ts";
import { recordMembers } from "../archive/record-of-line.ts";
import { type Archive, writeArchive } from "../archive/write.ts";
import { factsNamedIn } from "../audit/replay.ts";
import { earlier, type PrunableGoal } from "./choose.ts";

/** Small, because Redis runs nothing else while a function runs. */
const removedAtOnce = 50;

export type PruneResult = {
  goals: PrunableGoal[];
  artefacts: number;
  events: number;
  bytes: number;
  sha256: string;
};

type Options = {
  path: string;
  header: ArchiveHeader;
  actor: Actor;
  file: string;
  /** The end of what is sealed, as `chooseGoals` has it. */
  sealed?: string | undefined;
  signal: AbortSignal;
};

/**
 * Goals that have changed since they were chosen stay. An interruption before the archive is safe
 * changes nothing; after that the next run removes the rest. Throws `archive-unusable`, and
 * `interrupted`.
 */
export async function moveGoals(
  board: PersonBlackboard,
  chosen: readonly PrunableGoal[],
  options: Options,
): Promise<PruneResult> {
  const goals: PrunableGoal[] = [];
  // A gateway that died leaves reservations, with which a goal cannot be retired.
  await board.giveBackCalls({ all: false });
  try {
    for (const goal of chosen) {
      stopIf(options.signal, "Nothing was removed.");
      const { id, artefacts, claims } = goal;
      if ((await board.retireGoal({ goal: id, artefacts, claims })).outcome === "retired")
        goals.push(goal);
    }
    return await archiveAndRemove(board, goals, options);
  } catch (error) {
    if (!(error instanceof AfterArchive))
      for (const { id, isRetired } of goals) if (!isRetired) await board.reinstateGoal(id);
    throw error instanceof AfterArchive ? error.cause : error;
  }
}

/**
 * The archive is complete, and the blackboard may have lost a part of the goals: they cannot be
 * reinstated.
 */
class AfterArchive extends Error {}

async function archiveAndRemove(
  board: PersonBlackboard,
  goals: PrunableGoal[],
  { path, header, actor, file, sealed, signal }: Options,
): Promise<PruneResult> {
  // Later events of these goals stay in the log.
  const end = earlier(await board.endOfEvents(), sealed);
  let events = 0;
  const sha256 = await writeArchive(path, header, async (archive) => {
    events = await addGoals(board, goals, { archive, end, signal });
  });
  const sum = (of: (goal: PrunableGoal) => number) =>
    goals.reduce((total, goal) => total + of(goal), 0);
  const moved = {
    goals,
    artefacts: sum((goal) => goal.artefacts),
    events,
    bytes: sum((goal) => goal.bytes),
    sha256,
  };
  try {
    const { artefacts, bytes } = moved;
    const data = {
      file,
      sha256,
      goals: goals.length,
      artefacts,
      events,
      bytes,
      before: header.before,
    };
    const archive = { file, sha256, created_at: header.created_at };
    const marks = new Map(
      goals.map(({ id, state }) => [id, ArchivedGoal.parse({ until: end, state })]),
    );
    await board.recordArchive(archive, marks, { type: "goals_pruned", data }, actor);
    await removeArchived(board, new Map(goals.map(({ id }) => [id, end])), signal);
  } catch (error) {
    throw new AfterArchive("", { cause: error });
  }
  return moved;
}

type CopiedGoal = Pick<PrunableGoal, "id" | "state" | "ended" | "artefacts" | "claims">;

/**
 * Writes the goals, with their events up to `end`, and returns the number of these. Throws
 * `interrupted`.
 */
export async function addGoals(
  board: PersonBlackboard,
  goals: readonly CopiedGoal[],
  { archive, end, signal }: { archive: Archive; end: string; signal: AbortSignal },
): Promise<number> {
  const ids = new Set(goals.map(({ id }) => id));
  let events = 0;
  const facts = new Map<FactDigest, string>();
  for (const goal of goals) {
    stopIf(signal, "Nothing was removed.");
    await addGoal(board, goal, archive);
  }
  for await (const page of eventPages(board, end)) {
    stopIf(signal, "Nothing was removed.");
    const ofGoals = page.filter(({ goal_id }) => goal_id !== undefined && ids.has(goal_id));
    for (const event of ofGoals) await archive.add({ event });
    await readNamed(board, ofGoals, facts);
    events += ofGoals.length;
  }
  for (const [digest, text] of facts) await archive.add({ fact: { digest, text } });
  return events;
}

async function addGoal(
  board: PersonBlackboard,
  { id, state, ended, artefacts, claims }: CopiedGoal,
  archive: Archive,
): Promise<void> {
  await archive.add({ goal: { id, state, ended, artefacts, claims } });
  const ids = await board.listArtefactsOfGoal(id);
  for await (const artefact of readWhole(board, ids))
    await archive.add({
      artefact,
      ...recordMembers(artefact, await board.readRecord(artefact.id)),
    });
  for (const artefact of ids) await addClaims(board, artefact, archive);
  const answers = await board.answersOf(ids);
  for (const [index, answer] of answers.entries())
    if (answer !== undefined) await archive.add({ question: ids[index], answer });
  for (const call of (await board.readCalls(id)).ended) await archive.add({ call });
}

/** Adds the facts that these events name to `facts`. */
async function readNamed(
  board: PersonBlackboard,
  events: readonly SettEvent[],
  facts: Map<FactDigest, string>,
): Promise<void> {
  for (const { goal, digests } of factsNamedIn(events)) {
    const missing = digests.filter((digest) => !facts.has(digest));
    for (const [digest, text] of await board.readFacts(missing, goal)) facts.set(digest, text);
  }
}

async function addClaims(
  board: PersonBlackboard,
  artefact: ArtefactId,
  archive: Archive,
): Promise<void> {
  for (const [cause, id] of await board.claimsOfArtefact(artefact)) {
    const snapshot = await board.readClaim(id);
    if (snapshot !== undefined) await archive.add({ ...snapshot, cause });
  }
}

/**
 * Removes goals that an archive has whole, with their events up to these: later ones stay in the
 * log. Events go first: the next run finds every goal whose record still exists.
 */
export async function removeArchived(
  board: PersonBlackboard,
  goals: ReadonlyMap<GoalId, string>,
  signal: AbortSignal,
): Promise<void> {
  if (goals.size === 0) return;
  const rest = "The archive is complete. Run `sett prune` again to remove the rest of these goals.";
  const end = [...goals.values()].reduce((one, other) => (isLater(one, other) ? one : other));
  const isArchived = ({ goal_id, id }: SettEvent) => {
    const until = goal_id === undefined ? undefined : goals.get(goal_id);
    return until !== undefined && !isLater(id, until);
  };
  for await (const page of eventPages(board, end)) {
    stopIf(signal, rest);
    await board.removeEvents(page.filter(isArchived).map(({ id }) => id));
  }
  for (const goal of goals.keys()) {
    stopIf(signal, rest);
    while ((await board.removeOfGoal(goal, removedAtOnce)).left > 0) stopIf(signal, rest);
  }
}

function stopIf(signal: AbortSignal, hint: string): void {
  if (signal.aborted) throw new SettError("interrupted", "Interrupted.", { hint });
}
