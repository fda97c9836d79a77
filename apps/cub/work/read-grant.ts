// The inputs of a grant, read from the blackboard before the cub accepts it.
import type { ReadOn } from "../../../lib/blackboard/port/artefacts.ts";
import type { ClaimOfWork, WorkInputs, WorkToDo } from "../../../lib/blackboard/port/grants.ts";
import type { AgentBlackboard, RunBefore } from "../../../lib/blackboard/port/holders.ts";
import { baseCommit } from "../../../lib/core/base-commit.ts";
import { resultsOfEarlierPhases } from "../../../lib/core/result-artefact.ts";
import { startedGrant } from "../../../lib/core/started-grant.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import { type Grant, isEnded, type RunningGrant } from "../../../lib/model/claim.ts";
import { messageOf } from "../../../lib/model/errors.ts";
import {
  type AgentName,
  ArtefactId,
  type ClaimId,
  type CommitHash,
} from "../../../lib/model/ids.ts";
import type { JsonLog } from "../../../lib/service/json-log.ts";
import { isAway } from "../../../lib/service/until-contact.ts";

export type QueuedGrant = Extract<Grant, { state: "queued" }>;

/**
 * The value, or a sentence that says why it cannot be read: then the work fails with this reason.
 */
type Result<Value> = { ok: true; value: Value } | { ok: false; reason: string };

/**
 * The part of the inputs that never changes while the grant is queued. `accept-grant` checks that
 * it still is queued.
 */
export type Assignment = {
  claim: ClaimOfWork;
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
  /**
   * Results of earlier phases, then the claim's own additions (reviews), then questions and
   * answers; exactly these versions.
   */
  additionalContext: Artefact[];
  base: CommitHash | undefined;
  /** The commit that the goal was stated on. */
  start: CommitHash | undefined;
};

/**
 * A task that is begun: `running` where the blackboard has let the agent take the grant in the step
 * that read it.
 */
export type BegunTask = { task: Task; running: RunningGrant | undefined };

/**
 * Reads all that the work needs, and takes the grant where `mayTake` allows it and nothing more has
 * to be known for it. Undefined when the agent has no queued grant on this claim: a wake-up is only
 * a hint. Rejects only when Redis is away.
 */
export async function beginTask(
  board: AgentBlackboard,
  {
    agent,
    ...order
  }: {
    agent: AgentName;
    claim: ClaimId;
    run: RunBefore;
    mayTake: boolean;
    maxBytes: number | undefined;
    readOn?: ReadOn;
  },
): Promise<BegunTask | { refused: string } | undefined> {
  const begun = await board.beginWork(order);
  switch (begun.outcome) {
    case "none":
      return undefined;
    case "refused":
      return { refused: begun.reason };
    case "apart": {
      const assignment = await readAssignment(board, agent, order.claim);
      return (
        assignment && {
          task: await readTask(board, assignment, order.maxBytes),
          running: undefined,
        }
      );
    }
    default: {
      const { outcome, claim, earlier, contextIds } = begun;
      const grant = begun.grant as QueuedGrant;
      const isTaken = outcome === "taken";
      const inputs = begun.inputs.ok
        ? await orReason(() => inputsOf(board, begun, isTaken))
        : begun.inputs;
      const running = isTaken
        ? startedGrant(grant, { ...order.run, context_ids: contextIds })
        : undefined;
      return { task: { claim, grant, earlier, inputs }, running };
    }
  }
}

/** `isTaken`: none of them names a commit, and neither does the goal. */
async function inputsOf(
  board: AgentBlackboard,
  { claim, grant, inputs }: Pick<WorkToDo, "claim" | "grant" | "inputs">,
  isTaken: boolean,
): Promise<TaskInputs> {
  if (!inputs.ok) throw new Error(inputs.reason);
  const { target, chain: contextChain, additional: additionalContext } = inputs.value;
  const commits = isTaken
    ? { base: undefined, start: undefined }
    : await commitsOf(board, claim, grant, inputs.value);
  return { target, contextChain, additionalContext, ...commits };
}

/**
 * Undefined when the agent has no queued grant on this claim. Rejects only when Redis is away.
 */
export async function readAssignment(
  board: AgentBlackboard,
  agent: AgentName,
  id: ClaimId,
): Promise<Assignment | undefined> {
  const snapshot = await board.readClaim(id);
  if (snapshot === undefined || isEnded(snapshot.claim.status)) return undefined;
  const grant = snapshot.grants.find((one) => one.agent === agent);
  if (grant?.state !== "queued") return undefined;
  const { claim, grants } = snapshot;
  const target = await readTarget(board, claim.artefact_id);
  return { claim, grant, earlier: resultsOfEarlierPhases(grants, grant.phase), target };
}

/** Adds the context of this moment, of at most so many bytes. Rejects only when Redis is away. */
export async function readTask(
  board: AgentBlackboard,
  assignment: Assignment,
  maxBytes?: number,
): Promise<Task> {
  const { target, ...rest } = assignment;
  if (!target.ok) return { ...rest, inputs: target };
  return { ...rest, inputs: await orReason(() => readInputs(board, rest, target.value, maxBytes)) };
}

/** Logs a task that the cub has read and is about to accept. */
export function logTask(log: JsonLog, { claim, grant, inputs }: Task): void {
  const about = log.with({ claim_id: claim.id, artefact_id: claim.artefact_id });
  about.info("Work Executor received claim from queue", {
    phase: grant.phase,
    attempt: grant.attempt,
  });
  if (!inputs.ok) return about.error("Failed to fetch target artefact", { reason: inputs.reason });
  const { target, contextChain } = inputs.value;
  const { logical_id, type, version } = target;
  about.info("Fetched target artefact", {
    logical_id,
    type,
    version,
    context: contextChain.length,
  });
}

function readTarget(board: AgentBlackboard, id: ArtefactId): Promise<Result<Artefact>> {
  return orReason(async () => {
    const target = await board.readArtefact(id);
    if (target === undefined)
      throw new Error(`The claim's artefact ${id} is not on the blackboard.`);
    return target;
  });
}

async function readInputs(
  board: AgentBlackboard,
  { claim, grant, earlier }: Omit<Assignment, "target">,
  target: Artefact,
  maxBytes: number | undefined,
): Promise<TaskInputs> {
  const additionalIds = [
    ...new Set([...earlier, ...claim.additional_context_ids, ...(grant.dialogue ?? [])]),
  ];
  const { chain, additional } = await board.readContext(target, additionalIds, maxBytes);
  const commits = await commitsOf(board, claim, grant, { target, chain, additional });
  return { target, contextChain: chain, additionalContext: additional, ...commits };
}

async function commitsOf(
  board: AgentBlackboard,
  claim: ClaimOfWork,
  grant: Grant,
  { target, chain, additional }: WorkInputs,
): Promise<Pick<TaskInputs, "base" | "start">> {
  const known = [...chain, ...additional];
  const start = await pinnedCommit(board, claim, [target, ...known]);
  const base =
    (grant.state === "queued" ? grant.base_commit : undefined) ??
    baseCommit(target, known) ??
    start;
  return { base, start };
}

/** Returns what the goal pins; it is read where the context does not include the goal itself. */
async function pinnedCommit(
  board: AgentBlackboard,
  claim: ClaimOfWork,
  known: readonly Artefact[],
): Promise<CommitHash | undefined> {
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
