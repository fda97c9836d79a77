// Damage to requests, to what people are asked, and to the pause.
import type { EventType } from "../../../lib/model/event.ts";
import type { History } from "../history.ts";
import {
  artefact,
  change,
  claim,
  type Damage,
  drop,
  event,
  found,
  release,
  stranger,
} from "./hand.ts";

/** An event of this type behind another one. */
function say(
  h: History,
  type: EventType,
  actor: string,
  over: Record<string, unknown> = {},
  behind = h.events.at(-1),
): void {
  const { goal_id } = event(h, "claim_opened");
  const id = behind?.id ?? "";
  const said = { id: `${id}0`, time: behind?.time ?? "", type, actor, goal_id, ...over };
  h.events.splice(behind ? h.events.indexOf(behind) + 1 : 0, 0, said as History["events"][number]);
}

export const peopleDamages: readonly Damage[] = [
  [
    "soManyPeopleHaveApproved",
    "an approval where two are needed",
    (h) => {
      const made = release(h);
      const review = made.grants.find(({ phase }) => phase === "review");
      change(found(review, "review"), { quorum: { needed: 2 } });
    },
  ],
  [
    "nothingIsStartedWhilePaused",
    "work that began during a pause",
    (h) => say(h, "instance_paused", "orchestrator:1", {}, event(h, "orchestrator_started")),
  ],
  [
    "nothingIsStartedWhilePaused",
    "work that began while its goal was paused",
    (h) => say(h, "goal_paused", "orchestrator:1", {}, event(h, "claim_opened")),
  ],
  [
    "pausesAreRequested",
    "a pause that no person has requested",
    (h) => say(h, "instance_paused", "orchestrator:1", { data: { by: "person:Ada" } }),
  ],
  [
    "pausesAreRequested",
    "a pause in a pause",
    (h) => {
      say(h, "pause_requested", "person:Ada");
      for (let times = 0; times < 2; times += 1)
        say(h, "instance_paused", "orchestrator:1", { data: { by: "person:Ada" } });
    },
  ],
  [
    "thePauseIsAsTheLogSays",
    "a pause that the log does not tell of",
    (h) => change(h, { isPaused: true }),
  ],
  [
    "everyRequestIsSeenTo",
    "a goal that was not cancelled",
    (h) => say(h, "cancel_requested", "person:Ada"),
  ],
  [
    "everyRequestIsSeenTo",
    "a pause that did not come",
    (h) => say(h, "pause_requested", "person:Ada"),
  ],
  [
    "everyRequestIsSeenTo",
    "a pause of the instance in the place of a goal's",
    (h) => {
      say(h, "pause_requested", "person:Ada");
      say(h, "instance_paused", "orchestrator:1", { goal_id: undefined });
    },
  ],
  [
    "everyRequestIsSeenTo",
    "a Failure that was not tried again",
    (h) =>
      say(h, "retry_requested", "person:Ada", {
        artefact_id: artefact(h, "ToolExecutionFailure").id,
      }),
  ],
  [
    "refusalsNameTheirRequest",
    "a refusal of no request",
    (h) => say(h, "request_refused", "orchestrator:1", { data: { request: "1-1", reason: "" } }),
  ],
  [
    "whatPeopleAreAskedStaysOpen",
    "a question that is listed no more",
    (h) => {
      h.answers.delete(artefact(h, "WhichVersion").id);
      drop(
        h,
        ...h.events.filter(
          ({ type, agent }) => type === "grant_queued" && agent?.startsWith("changelog"),
        ),
      );
    },
  ],
  [
    "onlyTheRegisteredAreAsked",
    "an agent that is not registered",
    (h) => drop(h, event(h, "agent_registered", { agent: "tester" })),
  ],
  [
    "openBiddingsAreAnnouncedAgain",
    "an open bidding",
    (h) => change(release(h), { status: "pending_review", bidding: "open" }),
  ],
  [
    "theIndexOfCausesNamesTheirClaims",
    "a cause of another claim",
    (h) => change(h.causes.get(artefact(h, "TestReport").id) ?? {}, { standard: release(h).id }),
  ],
  [
    "theIndexOfCausesNamesTheirClaims",
    "a cause of no claim",
    (h) => change(h.causes.get(claim(h, "TestReport").artefact_id) ?? {}, { "retry:x": stranger }),
  ],
];
