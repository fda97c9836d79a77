// Agents that do what was another's to do: of whose role they are, and why they may.
import { isStandIn } from "../../../lib/core/stand-in.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import { isEnded } from "../../../lib/model/claim.ts";
import type { SettEvent } from "../../../lib/model/event.ts";
import type { ClaimRecord, History } from "../history.ts";
import type { Rules } from "../history-checker.ts";
import { type ClaimLog, claimLogsOf, ofType } from "./claim-log.ts";
import { makersOf } from "./question-log.ts";

export const standInRules: Rules = [
  ["wrong", standInsHaveTheRole],
  ["wrong", standInsHaveAReason],
  ["wrong", standInsAreLogged],
  ["duplicated", noAgentIsStandInTwice],
];

type Replacement = {
  claimLog: ClaimLog;
  claim: ClaimRecord;
  agent: string;
  place: string;
  made: Artefact | undefined;
};

/** `made`: what was made by the agent whose place the stand-in takes. */
function standingIn(history: History): Replacement[] {
  return claimLogsOf(history).flatMap((claimLog) => {
    const { claim } = claimLog;
    const { stand_in: standIn } = claim;
    if (standIn === undefined) return [];
    const about = history.artefacts.get(claim.artefact_id);
    const candidates = claim.kind === "clarification" && about ? makersOf(about, history) : [about];
    const made = candidates.find((one) => one?.produced_by_agent === standIn.for);
    const agents = claim.grants.map(({ agent }) => String(agent));
    return agents.map((agent) => ({ claimLog, claim, agent, place: standIn.for, made }));
  });
}

function* standInsHaveTheRole(history: History) {
  for (const { claim, agent, place, made } of standingIn(history)) {
    const role = history.agents.get(agent)?.role;
    if (claim.kind !== "rework" && claim.kind !== "clarification")
      yield `${agent} is the stand-in for ${place} in the ${claim.kind} ${claim.id}.`;
    if (made === undefined)
      yield `${agent} is the stand-in for ${place} in claim ${claim.id}, which has made nothing of it.`;
    else if (role !== undefined && role !== made.produced_by_role)
      yield `${agent} (${role}) is the stand-in for ${place} (${made.produced_by_role}) in claim ${claim.id}.`;
    if (agent === place) yield `${agent} is the stand-in for itself in claim ${claim.id}.`;
  }
}

/**
 * Its own agent is gone, could not send a heartbeat or answer, or has lost as many attempts as it
 * had.
 */
function* standInsHaveAReason(history: History) {
  const { artefacts, claims, events } = history;
  for (const { claimLog, claim, agent, place } of standingIn(history)) {
    const [opened] = ofType(claimLog.events, "claim_opened");
    const before = events.slice(0, opened === undefined ? 0 : events.indexOf(opened));
    const wasRemoved = ofType(before, "agent_removed").some((event) => event.agent === place);
    const hasFailed = [...claims.values()].some(
      (one) =>
        claim.kind === "clarification" &&
        one.artefact_id === claim.artefact_id &&
        one.cause === `clarification:${place}` &&
        one.status === "terminated",
    );
    const failure = isStandIn(claim.cause)
      ? artefacts.get(claim.cause.slice("stand-in:".length))
      : undefined;
    const wasHandedOn = failure !== undefined && isUnanswered(failure, claim, history);
    if (!wasRemoved && !hasFailed && !wasHandedOn)
      yield `${agent} is the stand-in for ${place} in claim ${claim.id}, for no reason.`;
  }
}

/** An attempt at the same that ended by no answer of the agent's own. */
function isUnanswered(
  { type, claim_id }: Artefact,
  claim: ClaimRecord,
  { claims }: History,
): boolean {
  const failed = claims.get(claim_id);
  const isSame =
    failed?.artefact_id === claim.artefact_id &&
    failed.kind === claim.kind &&
    isEnded(failed.status);
  return isSame && ["AgentRemoved", "AgentSilent", "AttemptLost"].includes(type);
}

function* standInsAreLogged(history: History) {
  const isTold = ({ data }: SettEvent, { stand_in: standIn }: ClaimRecord) =>
    data?.instead_of === standIn?.for && data?.because === standIn?.because;
  for (const { claimLog, claim, agent, place } of standingIn(history)) {
    const [queued] = ofType(claimLog.events, "grant_queued");
    if (queued === undefined || !isTold(queued, claim))
      yield `${agent} is the stand-in for ${place} in claim ${claim.id}, unlike the log says.`;
  }
}

function* noAgentIsStandInTwice(history: History) {
  const tries = standingIn(history).filter(({ claimLog }) => claimLog.before === undefined);
  for (const [what, { length }] of Map.groupBy(
    tries,
    ({ claim, agent }) => `${agent} in the ${claim.kind} of ${claim.artefact_id}`,
  ))
    if (length > 1) yield `${what} is a stand-in ${length} times.`;
}
