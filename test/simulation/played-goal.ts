// One goal on the blackboard's twin, from its opening to its end, written step by step: for tests
// of what judges it.
import { State } from "../../lib/blackboard/memory/state.ts";
import { newThread } from "../../lib/core/new-artefact.ts";
import { biddingClaim } from "../../lib/core/new-claim.ts";
import type { RunningGrant } from "../../lib/model/claim.ts";
import { defaultPolicy } from "../../lib/model/policy.ts";
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
  const state = new State(() => now);
  const at = () => new Date(now).toISOString();
  const agent = agentName("worker");
  const goal = sampleArtefact();
  state.log({ type: "orchestrator_started", data: { holder: "one", epoch: 1 } }, leader);
  state.agents.set(
    agent,
    JSON.stringify(sampleAgent(agent, { bids: [{ on: "GoalDefined", bid: "exclusive" }] })),
  );
  state.log({ type: "agent_registered", agent, data: {} }, "person:Ada");
  state.statuses.set(agent, { at: now, state: "idle" });
  state.storeArtefact(goal, "person:Ada");

  const id = newClaimId();
  const about = { goal_id: goal.goal_id, claim_id: id, artefact_id: goal.id };
  const claim = biddingClaim({ id, artefact: goal.id, goal: goal.goal_id, at: at() }, [agent]);
  state.openClaim({ claim, cause: "standard", grants: [] }, 1);
  const record = state.claims.get(id);
  if (record === undefined) throw new Error("The claim was not opened.");
  now += 5;
  record.claim.bids = [...record.claim.bids, { agent, word: "exclusive" }];
  state.log(
    { type: "bid_placed", ...about, agent, data: { word: "exclusive", missing: 0 } },
    `agent:${agent}`,
  );

  const data = { phase: "exclusive", attempt: 1 } as const;
  const queued = { agent, ...data, queued_at: at() };
  Object.assign(record.claim, { bidding: "closed", status: "pending_exclusive" });
  state.writeGrant(record, { ...queued, state: "queued" });
  state.log({ type: "bidding_closed", ...about }, leader);
  state.log({ type: "grant_queued", ...about, agent, data }, leader);
  state.wakeUps.clear();
  now += 5;
  const running: RunningGrant = { ...queued, state: "running", started_at: at(), context_ids: [] };
  state.writeGrant(record, running);
  state.log({ type: "grant_started", ...about, agent, data }, `agent:${agent}`);
  now += 500;
  const result = newThread(
    { id: newArtefactId(), at: at(), role: "worker", agent, goal: goal.goal_id, claim: id },
    { structural_type: "Terminal", type: "Done", payload: "", sources: [goal.id], metadata: {} },
  );
  state.storeArtefact(result, `agent:${agent}`);
  state.writeGrant(record, {
    ...running,
    state: "done",
    ended_at: at(),
    artefact_ids: [result.id],
  });
  state.log(
    { type: "grant_done", ...about, artefact_id: result.id, agent, data },
    `agent:${agent}`,
  );
  now += 5;
  record.claim.status = "complete";
  state.openClaims.delete(id);
  state.log({ type: "claim_completed", ...about }, leader);
  return {
    ...{
      state,
      policy: defaultPolicy,
      faults: [],
      limbo: undefined,
      planted: new Set(),
      goals: [goal.id],
    },
    ...{ cancelled: new Set(), harmed: new Set(), accepted: [], losses: 0, mistakes: [] },
  };
}
