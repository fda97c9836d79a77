// The artefact that a grant ends with: its thread, its version and its sources
// (docs/internals/claims.md#phases-and-results).
import type { Artefact } from "../model/artefact.ts";
import type { Claim, Grant } from "../model/claim.ts";
import { type AgentName, ArtefactId } from "../model/ids.ts";
import { type Phase, phasesBefore } from "../model/phase.ts";
import type { ResultPiece, ToolResult } from "../model/tool-contract.ts";
import { withoutUndefined } from "../model/without-undefined.ts";
import { newThread, nextVersion, type Origin } from "./new-artefact.ts";

/** Returns what the grants of earlier phases of the same claim made, in the order of the phases. */
export function resultsOfEarlierPhases(grants: readonly Grant[], phase: Phase): ArtefactId[] {
  return phasesBefore(phase).flatMap((earlier) =>
    grants.flatMap((grant) =>
      grant.phase === earlier && grant.state === "done" ? grant.artefact_ids : [],
    ),
  );
}

/**
 * The result of a grant comes from here: the agent, the time (ISO 8601) and the claim. `id` is new.
 */
export type GrantOrigin = {
  id: ArtefactId;
  at: string;
  agent: { name: AgentName; role: string };
  claim: Pick<Claim, "id" | "goal_id" | "kind" | "additional_context_ids" | "pieces">;
};

/**
 * A new thread as a rule (derivative); the target's next version, of the same type, when a rework
 * made it (evolutionary).
 */
export function resultArtefact(
  origin: GrantOrigin,
  result: ToolResult,
  {
    target,
    earlier,
    dialogue = [],
  }: { target: Artefact; earlier: readonly ArtefactId[]; dialogue?: readonly ArtefactId[] },
): Artefact {
  const { claim } = origin;
  const { structural_type, payload, summary } = result;
  const isNextVersion = claim.kind === "rework" && structural_type === "Standard";
  if (structural_type === "Question") return question(origin, result, target);
  const ended = (claim.pieces ?? []).flatMap(({ results, failures }) => [...results, ...failures]);
  const sources = [
    target.id,
    ...(claim.kind === "rework" ? claim.additional_context_ids : [...ended, ...earlier]),
  ];
  // The answers; each of them names its question.
  sources.push(...dialogue.filter((_, index) => index % 2 === 1));
  if (structural_type === "Terminal") sources.push(ArtefactId.parse(claim.goal_id));
  const metadata = { ...result.metadata, ...withoutUndefined({ summary }) };
  const content = { structural_type, type: result.type, payload, sources, metadata };
  return isNextVersion
    ? nextVersion(target, originOf(origin), content)
    : newThread(originOf(origin), content);
}

/**
 * The list with its pieces' names, and the pieces, each a thread of its own. The orchestrator makes
 * a piece of a reworked list the next version of the one before it.
 */
export function listOfPieces(
  list: Artefact,
  pieces: readonly ResultPiece[],
  newId: () => string,
): { list: Artefact; pieces: Artefact[] } {
  const { goal_id: goal, claim_id: claim, created_at: at, produced_by_role: role } = list;
  const agent = list.produced_by_agent as AgentName | "";
  const artefacts = pieces.map(({ type, payload, summary, metadata }) =>
    newThread(
      { id: newId(), at, role, agent, goal, claim },
      {
        ...{ structural_type: "Standard", type, payload, sources: [list.id] },
        metadata: { ...metadata, summary },
      },
    ),
  );
  const named = artefacts.map(({ id }, place) => ({ key: pieces[place]?.key ?? "", id }));
  return { list: { ...list, metadata: { ...list.metadata, pieces: named } }, pieces: artefacts };
}

/** Its first source is the artefact that it is about, which decides who is asked first. */
function question(origin: GrantOrigin, result: ToolResult, target: Artefact): Artefact {
  const { type, payload, summary, metadata, about = target.id } = result;
  return newThread(originOf(origin), {
    structural_type: "Question",
    type,
    payload,
    sources: [about, target.id],
    metadata: { ...metadata, ...withoutUndefined({ summary }) },
  });
}

/** A Failure in a thread of its own. `sources`: the target, where there is one. */
export function failureArtefact(
  origin: GrantOrigin,
  failure: { type: string; payload: string; reason: string; sources: readonly ArtefactId[] },
): Artefact {
  const { type, payload, reason, sources } = failure;
  return newThread(originOf(origin), {
    structural_type: "Failure",
    type,
    payload,
    sources,
    metadata: { summary: reason },
  });
}

function originOf({ id, at, agent, claim }: GrantOrigin): Origin {
  return { id, at, role: agent.role, agent: agent.name, goal: claim.goal_id, claim: claim.id };
}
