// Every event says who did what to which things, and an orchestrator that was replaced does nothing
// more.
import { SettEvent } from "../../../lib/model/event.ts";
import type { History } from "../history.ts";
import type { Rules } from "../history-checker.ts";
import { ofType } from "./claim-log.ts";

export const logRules: Rules = [
  ["wrong", everyEventHasAnActor],
  ["wrong", everyEventIsAboutWhatExists],
  ["wrong", agentsSpeakForThemselves],
  ["wrong", theReplacedChangeNothing],
  ["wrong", endedGoalsAreMarked],
];

function* everyEventHasAnActor({ events }: History) {
  for (const event of events) {
    const problem = SettEvent.safeParse(event).error?.issues[0];
    if (problem !== undefined)
      yield `Event ${event.id} (${event.type}) is malformed: ${problem.path.join(".")} ${problem.message}`;
  }
}

const requests: readonly SettEvent["type"][] = [
  "cancel_requested",
  "retry_requested",
  "request_refused",
];

function* everyEventIsAboutWhatExists({ events, artefacts, claims, goals }: History) {
  const known = new Set<string>();
  for (const { id, type, goal_id, claim_id, artefact_id, agent, data } of events) {
    const subject = `Event ${id} (${type}) is about`;
    if (type === "agent_registered") known.add(String(agent));
    // A person may ask for what is lost by then.
    const isRequest = requests.includes(type);
    if (goal_id !== undefined && !isRequest && !goals.has(goal_id))
      yield `${subject} goal ${goal_id}, which is nowhere.`;
    // A claim may be lost with Redis' last writes; the result that is refused says so.
    const isRefused =
      type === "result_refused" && data?.reason === `There is no claim ${claim_id}.`;
    if (claim_id !== undefined && !isRefused && !claims.has(claim_id))
      yield `${subject} claim ${claim_id}, which is nowhere.`;
    if (agent !== undefined && !known.has(agent))
      yield `${subject} agent ${agent}, which was never registered.`;
    // What was refused is logged and not stored; a rule of its own looks for what the log calls
    // created.
    const isKept =
      !isRequest &&
      type !== "result_refused" &&
      type !== "artefact_refused" &&
      type !== "artefact_created";
    if (isKept && artefact_id !== undefined && !artefacts.has(artefact_id))
      yield `${subject} artefact ${artefact_id}, which is nowhere.`;
  }
}

/**
 * A person's verdict ends the grant of the agent that is this person, which the orchestrator has
 * opened.
 */
/** A container adds its host name. */
const isAgent = (actor: string, name: string | undefined) =>
  actor.replace(/@.*$/, "") === `agent:${name}`;

function* agentsSpeakForThemselves({ events, artefacts }: History) {
  for (const { id, type, actor, agent, artefact_id } of ofType(
    events,
    "bid_placed",
    "grant_started",
    "grant_done",
    "grant_waiting",
    "result_refused",
  )) {
    const isVerdict =
      (type === "grant_done" || type === "grant_waiting") &&
      actor.startsWith("person:") &&
      artefacts.get(String(artefact_id))?.structural_type === "Review";
    const isOpening =
      type === "grant_waiting" &&
      artefacts.get(String(artefact_id))?.structural_type !== "Question";
    const isOpened = isOpening && actor.startsWith("orchestrator:");
    if (!isAgent(actor, agent) && actor !== "hand" && !isVerdict && !isOpened)
      yield `Event ${id} (${type}) of ${agent} was made by ${actor}.`;
  }
  const verdicts = ofType(events, "grant_done", "grant_waiting").filter(({ actor }) =>
    actor.startsWith("person:"),
  );
  const byPeople = new Map(verdicts.map(({ artefact_id, actor }) => [artefact_id, actor]));
  for (const { id, actor, artefact_id } of ofType(events, "artefact_created")) {
    const producer = artefacts.get(String(artefact_id))?.produced_by_agent ?? "";
    const isOwn =
      isAgent(actor, producer) || actor === "hand" || actor === byPeople.get(artefact_id);
    if (producer !== "" && !isOwn)
      yield `Event ${id}: artefact ${artefact_id} of ${producer} was posted by ${actor}.`;
  }
}

/** An epoch begins with its orchestrator and ends with the next one's. */
function* theReplacedChangeNothing({ events }: History) {
  let epoch = 0;
  for (const { id, type, actor } of events) {
    const own = Number(/^orchestrator:(\d+)$/.exec(actor)?.[1] ?? Number.NaN);
    if (Number.isNaN(own)) continue;
    if (type === "orchestrator_started") {
      if (own !== epoch + 1) yield `Event ${id}: epoch ${own} followed epoch ${epoch}.`;
      epoch = own;
    } else if (own !== epoch) yield `Event ${id} (${type}) was made by ${actor} in epoch ${epoch}.`;
  }
}

function* endedGoalsAreMarked({ events, goals }: History) {
  const endedByLog = new Set(ofType(events, "goal_ended").map((event) => String(event.goal_id)));
  for (const [goal, { ended }] of goals)
    if (endedByLog.has(goal) !== (ended !== undefined))
      yield `Goal ${goal} is ${ended ?? "not ended"}, unlike the log says.`;
}
