// A goal as the API shows it: in a list, and alone.
import type { Situation } from "../../../lib/client/facts/blocked-reason.ts";
import { remedyOf, unreadableSentence } from "../../../lib/client/facts/checked.ts";
import { waitingJson } from "../../../lib/client/facts/status-json.ts";
import { goalCostJson } from "../../../lib/client/render/cost-text.ts";
import type { Suggest } from "../../../lib/client/text/suggest.ts";
import type { ArtefactHead } from "../../../lib/model/artefact.ts";
import type { Grant } from "../../../lib/model/claim.ts";
import type { ArtefactId } from "../../../lib/model/ids.ts";
import { claimView } from "./claim-view.ts";
import type { GoalFacts } from "./goal-readings.ts";

export function goalSummaryView({
  goal,
  status,
  summary,
  created_at,
  artefacts,
  failures,
  cost,
  trigger,
  person,
  reverts,
}: GoalFacts) {
  return {
    ...{ id: goal, state: status.state, summary, created_at, artefacts, cost: goalCostJson(cost) },
    ...{ trigger: trigger ?? null, person: person ?? null, reverts },
    open_claims: status.openClaims.length,
    attempt: status.openClaims
      .flatMap(({ grants }) => grants.filter(isUnderWay))
      .reduce((highest, { attempt }) => Math.max(highest, attempt), 1),
    waiting_for: status.waitingFor.length,
    failures: failures.length,
  };
}

function isUnderWay(grant: Grant): boolean {
  if (grant.state === "failed") return grant.retry_at !== undefined;
  return grant.state === "queued" || grant.state === "running";
}

/** `text`: of the newest version of the goal. */
export function goalView(facts: GoalFacts, text: string, situation: Situation) {
  const { status, failures, commit, unreadable } = facts;
  const { attempt: _, ...summary } = goalSummaryView(facts);
  return {
    ...summary,
    text,
    commit: commit ?? null,
    paused: situation.pausedGoals?.get(facts.goal) ?? null,
    unreadable: unreadable.length === 0 ? null : unreadableView(unreadable, situation.suggest),
    open_claims: status.openClaims.map((claim) => claimView(claim, situation)),
    waiting_for: status.waitingFor.map((waiting) => waitingJson(waiting, situation)),
    failures: failures.map(failureView),
  };
}

function unreadableView(artefacts: readonly ArtefactId[], suggest: Suggest) {
  return {
    artefacts: [...artefacts],
    says: unreadableSentence(artefacts),
    remedy: remedyOf(suggest("doctor")),
  };
}

function failureView({ id, type, produced_by_agent, metadata, created_at }: ArtefactHead) {
  return { id, type, by: produced_by_agent || null, reason: metadata.summary ?? "", created_at };
}
