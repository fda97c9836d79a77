// What a grant is about, read from the blackboard before it is accepted.
import type { Blackboard } from "../../lib/blackboard/port.ts";
import { baseCommit } from "../../lib/core/base-commit.ts";
import { resultsOfEarlierPhases } from "../../lib/core/result-artefact.ts";
import type { Artefact } from "../../lib/model/artefact.ts";
import { type Claim, type Grant, isEnded } from "../../lib/model/claim.ts";
import { messageOf } from "../../lib/model/errors.ts";
import { type AgentName, ArtefactId, type ClaimId, type CommitHash } from "../../lib/model/ids.ts";
import { isAway } from "../../lib/service/until-contact.ts";
import { assembleContext } from "./assemble-context.ts";

export type QueuedGrant = Extract<Grant, { state: "queued" }>;

export type Task = {
  claim: Claim;
  grant: QueuedGrant;
  /** Results of earlier phases of the same claim. */
  earlier: ArtefactId[];
  /** Or the sentence that says why they cannot be had: the work fails, visibly. */
  inputs: { ok: true; value: TaskInputs } | { ok: false; reason: string };
};

export type TaskInputs = {
  target: Artefact;
  /** Oldest first. */
  contextChain: Artefact[];
  /** Results of earlier phases, then what the claim itself adds (reviews, an answer), exactly these versions. */
  additionalContext: Artefact[];
  base: CommitHash | undefined;
};

/**
 * Undefined when the agent has no queued grant on this claim: a wake-up is only a hint. `expected`: the claim's artefact, where its
 * announcement told, so that both are read in one round trip.
 */
export async function readTask(
  board: Blackboard,
  agent: AgentName,
  id: ClaimId,
  expected: ArtefactId | undefined,
): Promise<Task | undefined> {
  const ahead = expected === undefined ? undefined : board.readArtefact(expected);
  // Whoever awaits it hears of the failure; where there is no grant nobody does.
  ahead?.catch(() => undefined);
  const snapshot = await board.readClaim(id);
  if (snapshot === undefined || isEnded(snapshot.claim.status)) return undefined;
  const grant = snapshot.grants.find((one) => one.agent === agent);
  if (grant?.state !== "queued") return undefined;
  const { claim, grants } = snapshot;
  const earlier = resultsOfEarlierPhases(grants, grant.phase);
  return { claim, grant, earlier, inputs: await readInputs(board, claim, grant, earlier, ahead) };
}

/** Rejects only when Redis is away. */
async function readInputs(
  board: Blackboard,
  claim: Claim,
  grant: QueuedGrant,
  earlier: readonly ArtefactId[],
  ahead: Promise<Artefact | undefined> | undefined,
): Promise<Task["inputs"]> {
  try {
    const target = await (ahead ?? board.readArtefact(claim.artefact_id));
    if (target === undefined) return { ok: false, reason: `The claim's artefact ${claim.artefact_id} is not on the blackboard.` };
    const additionalIds = [...new Set([...earlier, ...claim.additional_context_ids])];
    const [contextChain, additionalContext] = await Promise.all([
      assembleContext(board, target, additionalIds),
      additionalIds.length === 0 ? [] : board.readArtefacts(additionalIds),
    ]);
    const known = [...contextChain, ...additionalContext];
    const base = grant.base_commit ?? baseCommit(target, known) ?? (await pinnedCommit(board, claim, [target, ...known]));
    return { ok: true, value: { target, contextChain, additionalContext, base } };
  } catch (error) {
    if (isAway(error)) throw error;
    return { ok: false, reason: messageOf(error) };
  }
}

/** The commit that the goal pins, where the goal itself is out of the context's reach. */
async function pinnedCommit(board: Blackboard, claim: Claim, known: readonly Artefact[]): Promise<CommitHash | undefined> {
  const goalId = ArtefactId.parse(claim.goal_id);
  if (known.some((artefact) => artefact.id === goalId)) return undefined;
  return (await board.readArtefact(goalId))?.metadata.commit;
}
