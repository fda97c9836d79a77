// One goal from its opening to its end, as a history: for tests of what judges it.
import { newThread } from "../../lib/core/new-artefact.ts";
import { biddingClaim } from "../../lib/core/new-claim.ts";
import type { Artefact } from "../../lib/model/artefact.ts";
import type { Actor, EventDraft, SettEvent } from "../../lib/model/event.ts";
import { defaultPolicy } from "../../lib/model/policy.ts";
import type { History } from "../chaos/history.ts";
import {
  agentName,
  newArtefactId,
  newClaimId,
  sampleAgent,
  sampleArtefact,
} from "../support/records/sample.ts";
import type { Judged } from "./judge.ts";

const leader = "orchestrator:1";

/** Its agent is `worker`, its result a Terminal. Nothing went wrong. */
export function playGoal(): Judged {
  let now = 1_000_000;
  const at = () => new Date(now).toISOString();
  const events: SettEvent[] = [];
  const log = (draft: EventDraft, actor: Actor) =>
    events.push({ ...draft, actor, id: `${now}-${events.length}`, time: at() });
  const worker = agentName("worker");
  const goal = sampleArtefact();
  const id = newClaimId();
  const about = { goal_id: goal.goal_id, claim_id: id, artefact_id: goal.id };
  const data = { phase: "exclusive", attempt: 1 } as const;
  const began = at();
  const claim = biddingClaim({ id, artefact: goal.id, goal: goal.goal_id, at: began }, [worker]);
  const result = newThread(
    {
      ...{ id: newArtefactId(), at: began, role: "worker", agent: worker },
      ...{ goal: goal.goal_id, claim: id },
    },
    {
      ...{ structural_type: "Terminal", type: "Done", payload: "" },
      ...{ sources: [goal.id], metadata: {} },
    },
  );
  const created = (artefact: Artefact, goalArtefacts: number): EventDraft => ({
    type: "artefact_created",
    goal_id: goal.goal_id,
    ...(artefact.claim_id !== "" && { claim_id: artefact.claim_id }),
    artefact_id: artefact.id,
    data: {
      structural_type: artefact.structural_type,
      type: artefact.type,
      version: artefact.version,
      role: artefact.produced_by_role,
      goal_artefacts: goalArtefacts,
      ...(artefact.produced_by_agent !== "" && { agent: artefact.produced_by_agent }),
    },
  });

  log({ type: "orchestrator_started", data: { holder: "one", epoch: 1 } }, leader);
  log({ type: "agent_registered", agent: worker, data: {} }, "person:Ada");
  log(created(goal, 1), "person:Ada");
  const opened = { kind: "standard", cause: "standard", missing: 1 };
  log({ type: "claim_opened", ...about, data: opened }, leader);
  now += 5;
  const bid = { word: "exclusive", missing: 0 };
  log({ type: "bid_placed", ...about, agent: worker, data: bid }, `agent:${worker}`);
  log({ type: "bidding_closed", ...about }, leader);
  log({ type: "grant_queued", ...about, agent: worker, data }, leader);
  now += 5;
  log({ type: "grant_started", ...about, agent: worker, data }, `agent:${worker}`);
  now += 500;
  log(created(result, 2), `agent:${worker}`);
  const done: EventDraft = { type: "grant_done", ...about, artefact_id: result.id, agent: worker };
  log({ ...done, data }, `agent:${worker}`);
  now += 5;
  log({ type: "claim_completed", ...about }, leader);

  const times = { queued_at: began, started_at: began, ended_at: began };
  const history: History = {
    events,
    artefacts: new Map([goal, result].map((artefact) => [artefact.id, artefact])),
    claims: new Map([
      [
        id,
        {
          ...{ ...claim, status: "complete", bidding: "closed", cause: "standard" },
          bids: [{ agent: worker, word: "exclusive" }],
          grants: [
            {
              ...{ agent: worker, ...data, state: "done", ...times },
              ...{ context_ids: [], artefact_ids: [result.id] },
            },
          ],
          granted: { review: [], parallel: [], exclusive: worker },
          bidHash: { [worker]: "exclusive" },
        },
      ],
    ]),
    causes: new Map([[goal.id, { standard: id }]]),
    threads: new Map([goal, result].map((one) => [one.id, [{ id: one.id, version: 1 }]])),
    goals: new Map([[goal.id, { ended: undefined, artefacts: [goal.id, result.id] }]]),
    ...{ openClaims: [], openQuestions: [], answers: new Map(), due: [] },
    ...{ wakeUps: new Map(), queued: new Map() },
    agents: new Map([
      [worker, sampleAgent(worker, { bids: [{ on: "GoalDefined", bid: "exclusive" }] })],
    ]),
    facts: new Map(),
    statuses: new Map([[worker, { at: now, state: "idle" }]]),
    ...{ isPaused: false, owed: [] },
  };
  return {
    ...{ history, policy: defaultPolicy, faults: [], limbo: undefined, goals: [goal.id] },
    ...{ cancelled: new Set(), harmed: new Set(), accepted: [], losses: 0, mistakes: [] },
  };
}
