// Explains why an artefact waits for no verdict: a person has given it, or the artefact waits for
// something else.

import type { PersonBlackboard } from "../../blackboard/port/holders.ts";
import { answersIn } from "../../core/answers-in.ts";
import { waitedForBy } from "../../core/goal-status.ts";
import { isApproval } from "../../model/approval.ts";
import type { Artefact } from "../../model/artefact.ts";
import { type ClaimSnapshot, isEnded, questionOf } from "../../model/claim.ts";
import { clauseOf } from "../../model/errors.ts";
import type { AgentName } from "../../model/ids.ts";
import { agoOf } from "../../words/age.ts";
import { shortId } from "../../words/short-id.ts";
import type { Situation } from "../facts/blocked-reason.ts";
import { readSituation } from "../facts/goal.ts";
import { waitingText } from "../render/waiting-text.ts";
import { oneLine } from "../text/plain-text.ts";
import type { Suggest } from "../text/suggest.ts";
import { typeText } from "../text/type-text.ts";

/** `agent`: the agent of `--for`, if any; `others`: the agents whose verdict is due. */
export async function explainNoVerdict(
  board: PersonBlackboard,
  suggest: Suggest,
  artefact: Artefact,
  agent: AgentName | undefined,
  others: readonly AgentName[],
): Promise<string> {
  const what = `${typeText(artefact.type)} ${shortId(artefact.id)}`;
  const [claims, situation, { ended }] = await Promise.all([
    board.claimsOfArtefact(artefact.id).then((causes) => board.readClaims([...causes.values()])),
    readSituation(board, suggest),
    board.readGoal(artefact.goal_id),
  ]);
  const verdicts = await verdictsOn(board, claims, situation);
  const own =
    agent === undefined ? verdicts : verdicts.filter((verdict) => verdict.agent === agent);
  if (own.length > 0)
    return `${what} has a verdict already: ${own.map(({ text }) => text).join("; ")}.`;
  if (others.length > 0)
    return `${what} does not wait for ${agent ?? "you"}, but for ${others.join(" and ")}.`;
  const noVerdict = `${what} does not wait for a person's verdict`;
  if (ended !== undefined)
    return `${noVerdict}: its goal ${shortId(artefact.goal_id)} has ended (${ended.replace("_", " ")}).`;
  const withdrawn = withdrawalOf(claims, agent, situation);
  if (withdrawn !== undefined)
    return `${what} needs no verdict of ${agent ?? "yours"} any more: ${withdrawn}.`;
  return `${noVerdict}${insteadOf(claims, situation)}.`;
}

type Verdict = { agent: AgentName; text: string };

/** The verdicts of people; those on the newest claim come last. */
async function verdictsOn(
  board: PersonBlackboard,
  claims: readonly ClaimSnapshot[],
  { agents, nowMs }: Situation,
): Promise<Verdict[]> {
  const people = new Set(agents.flatMap(({ name, human }) => (human ? [name] : [])));
  const done = claims.flatMap(({ grants }) =>
    grants.flatMap((grant) =>
      grant.phase === "review" && grant.state === "done" && people.has(grant.agent) ? [grant] : [],
    ),
  );
  const reviews = await board.readArtefacts(done.flatMap(answersIn));
  return reviews.map(({ produced_by_agent, payload, metadata, created_at }) => {
    const by =
      typeof metadata.by === "string"
        ? `${oneLine(metadata.by)}, for ${produced_by_agent},`
        : produced_by_agent;
    const text = `${by} ${isApproval(payload) ? "approved" : "rejected"} it ${agoOf(created_at, nowMs)}`;
    return { agent: produced_by_agent as AgentName, text };
  });
}

/**
 * Why the request of a person on the newest claim was withdrawn, if one was: another's review has
 * decided.
 */
function withdrawalOf(
  claims: readonly ClaimSnapshot[],
  agent: AgentName | undefined,
  { agents }: Situation,
): string | undefined {
  const people = new Set(agents.flatMap(({ name, human }) => (human ? [name] : [])));
  const withdrawn = claims.at(-1)?.grants.find((grant) => {
    const isTheirs = agent === undefined ? people.has(grant.agent) : grant.agent === agent;
    return isTheirs && grant.phase === "review" && grant.state === "cancelled";
  });
  return withdrawn?.state === "cancelled" ? oneLine(clauseOf(withdrawn.reason)) : undefined;
}

function insteadOf(claims: readonly ClaimSnapshot[], situation: Situation): string {
  const open = claims.filter(({ claim }) => !isEnded(claim.status));
  const waits = open.flatMap((snapshot) => [
    ...snapshot.grants.flatMap((grant) => {
      const question = questionOf(grant);
      return question === undefined
        ? []
        : [`an answer to question ${shortId(question)} of \`${grant.agent}\``];
    }),
    ...waitedForBy(snapshot).map((waiting) => waitingText(waiting, situation)),
  ]);
  if (waits.length > 0) return `; it waits for ${waits.join(", and for ")}`;
  const last = claims.at(-1)?.claim;
  if (last !== undefined) {
    const reason =
      last.termination_reason === "" ? "" : ` (${oneLine(clauseOf(last.termination_reason))})`;
    return `: its claim ${shortId(last.id)} is ${last.status}${reason}`;
  }
  return ": the orchestrator has not opened a claim on it yet";
}
