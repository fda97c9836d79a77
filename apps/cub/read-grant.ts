// The inputs of a grant, read from the blackboard before the cub accepts it.
import type { AgentBlackboard } from "../../lib/blackboard/holders.ts";
import { baseCommit } from "../../lib/core/base-commit.ts";
import { resultsOfEarlierPhases } from "../../lib/core/result-artefact.ts";
import type { Artefact } from "../../lib/model/artefact.ts";
import { type Claim, type Grant, isEnded } from "../../lib/model/claim.ts";
import { messageOf } from "../../lib/model/errors.ts";
import { type AgentName, ArtefactId, type ClaimId, type CommitHash } from "../../lib/model/ids.ts";
import { isAway } from "../../lib/service/until-contact.ts";

export type QueuedGrant = Extract<Grant, { state: "queued" }>;

/** The value, or a sentence that says why it cannot be read: then the work fails with this reason. */
type Result<Value> = { ok: true; value: Value } | { ok: false; reason: string };

/**
 * The part of the inputs that never changes while the grant is queued, so that it may be read ahead. `accept-grant` checks that it still is
 * queued.
 */
export type Assignment = {
  claim: Claim;
  grant: QueuedGrant;
  /** Results of earlier phases of the same claim. */
  earlier: ArtefactId[];
  target: Result<Artefact>;
};

export type Task = Omit<Assignment, "target"> & { inputs: Result<TaskInputs> };

export type TaskInputs = {
  target: Artefact;
  /** Oldest first. */
  contextChain: Artefact[];
  /** Results of earlier phases, then the claim's own additions (reviews), then questions and answers; exactly these versions. */
  additionalContext: Artefact[];
  base: CommitHash | undefined;
  /** The commit that the goal was stated on. */
  start: CommitHash | undefined;
};

/**
 * Undefined when the agent has no queued grant on this claim: a wake-up is only a hint. `expected`: the claim's artefact, where it is known
 * from the announcement, so that both are read in one round trip. Rejects only when Redis is away.
 */
export async function readAssignment(
  board: AgentBlackboard,
  agent: AgentName,
  id: ClaimId,
  expected: ArtefactId | undefined,
): Promise<Assignment | undefined> {
  const ahead = expected === undefined ? undefined : readTarget(board, expected);
  // A failure is reported where the promise is awaited. Without a grant it is never awaited, and must not be an unhandled rejection.
  ahead?.catch(() => undefined);
  const snapshot = await board.readClaim(id);
  if (snapshot === undefined || isEnded(snapshot.claim.status)) return undefined;
  const grant = snapshot.grants.find((one) => one.agent === agent);
  if (grant?.state !== "queued") return undefined;
  const { claim, grants } = snapshot;
  const target = await (ahead ?? readTarget(board, claim.artefact_id));
  return { claim, grant, earlier: resultsOfEarlierPhases(grants, grant.phase), target };
}

/**
 * Adds the context of this moment, of at most so many bytes: threads grow, so this is never read ahead. Rejects only when Redis is away.
 */
export async function readTask(board: AgentBlackboard, assignment: Assignment, maxBytes?: number): Promise<Task> {
  const { target, ...rest } = assignment;
  if (!target.ok) return { ...rest, inputs: target };
  return { ...rest, inputs: await orReason(() => readInputs(board, rest, target.value, maxBytes)) };
}

function readTarget(board: AgentBlackboard, id: ArtefactId): Promise<Result<Artefact>> {
  return orReason(async () => {
    const target = await board.readArtefact(id);
    if (target === undefined) throw new Error(`The claim's artefact ${id} is not on the blackboard.`);
    return target;
  });
}

async function readInputs(
  board: AgentBlackboard,
  { claim, grant, earlier }: Omit<Assignment, "target">,
  target: Artefact,
  maxBytes: number | undefined,
): Promise<TaskInputs> {
  const additionalIds = [...new Set([...earlier, ...claim.additional_context_ids, ...(grant.dialogue ?? [])])];
  const { chain: contextChain, additional: additionalContext } = await board.readContext(target, additionalIds, maxBytes);
  const known = [...contextChain, ...additionalContext];
  const start = await pinnedCommit(board, claim, [target, ...known]);
  const base = grant.base_commit ?? baseCommit(target, known) ?? start;
  return { target, contextChain, additionalContext, base, start };
}

/** What the goal pins; it is read where the context does not include the goal itself. */
async function pinnedCommit(board: AgentBlackboard, claim: Claim, known: readonly Artefact[]): Promise<CommitHash | undefined> {
  const goalId = ArtefactId.parse(claim.goal_id);
  const goal = known.find(({ id }) => id === goalId) ?? (await board.readHeads([goalId]))[0]?.head;
  return goal?.metadata.commit;
}

async function orReason<Value>(work: () => Promise<Value>): Promise<Result<Value>> {
  try {
    return { ok: true, value: await work() };
  } catch (error) {
    if (isAway(error)) throw error;
    return { ok: false, reason: messageOf(error) };
  }
}
