// Shows what every implementation of the blackboard's port holds to.
import { describe, test } from "bun:test";
import type { Bench } from "../../support/blackboard/bench.ts";
import { adoptionSuite } from "./suite/adoption.ts";
import { agentsAndLeaderSuite } from "./suite/agents-and-leader.ts";
import { artefactsSuite, largePayloadSuite } from "./suite/artefacts.ts";
import { asLeaderSuite } from "./suite/as-leader.ts";
import { askedCallsSuite } from "./suite/asked-calls.ts";
import { beginningSuite } from "./suite/beginning.ts";
import { bidsSuite } from "./suite/bids.ts";
import { claimsSuite } from "./suite/claims.ts";
import { claimsOfAgentsSuite } from "./suite/claims-of-agents.ts";
import { commitsSuite } from "./suite/commits.ts";
import { contextSuite } from "./suite/context.ts";
import { dueSuite } from "./suite/due.ts";
import { eraseSuite } from "./suite/erase.ts";
import { factsSuite } from "./suite/facts.ts";
import { followingSuite } from "./suite/following.ts";
import { grantsSuite } from "./suite/grants.ts";
import { headsSuite } from "./suite/heads.ts";
import { mailSuite } from "./suite/mail.ts";
import { modelBudgetsSuite } from "./suite/model-budgets.ts";
import { modelCallsSuite } from "./suite/model-calls.ts";
import { modelPeriodsSuite } from "./suite/model-periods.ts";
import { noticesSuite } from "./suite/notices.ts";
import { outlineSuite } from "./suite/outline.ts";
import { peopleSuite } from "./suite/people.ts";
import { piecesSuite } from "./suite/pieces.ts";
import { proofSuite } from "./suite/proof.ts";
import { pruneSuite } from "./suite/prune.ts";
import { resultsSuite } from "./suite/results.ts";
import { resultsWithMoreSuite } from "./suite/results-with-more.ts";
import { standingBidsSuite } from "./suite/standing-bids.ts";
import { takingSuite } from "./suite/taking.ts";
import { triggersSuite } from "./suite/triggers.ts";
import { verdictsSuite } from "./suite/verdicts.ts";

/**
 * `withLargest`: also with a payload that takes a Redis whose commands are recorded long. `rarely`:
 * in the place of `test`, for what takes long there.
 */
export function blackboardSuite(
  name: string,
  open: () => Promise<Bench>,
  { withLargest = true, rarely = test }: { withLargest?: boolean; rarely?: typeof test } = {},
): void {
  describe(name, () => {
    describe("artefacts", () => artefactsSuite(open));
    if (withLargest) describe("the largest artefacts", () => largePayloadSuite(open));
    describe("heads", () => headsSuite(open, rarely));
    describe("what a goal's state depends on", () => outlineSuite(open, rarely));
    describe("the context of a target", () => contextSuite(open, rarely));
    describe("adoption by hand", () => adoptionSuite(open));
    describe("claims", () => claimsSuite(open));
    describe("claims of agents and goals", () => claimsOfAgentsSuite(open));
    describe("bids", () => bidsSuite(open));
    describe("bids given in advance", () => standingBidsSuite(open));
    describe("commits", () => commitsSuite(open));
    describe("grants", () => grantsSuite(open));
    describe("taking a grant", () => takingSuite(open));
    describe("beginning work", () => beginningSuite(open));
    describe("results", () => resultsSuite(open));
    describe("results with their start and what they decide", () => resultsWithMoreSuite(open));
    describe("a list of pieces", () => piecesSuite(open));
    describe("people", () => peopleSuite(open));
    describe("verdicts", () => verdictsSuite(open));
    describe("agents and the leader lease", () => agentsAndLeaderSuite(open));
    describe("what only the leader writes", () => asLeaderSuite(open));
    describe("what is due", () => dueSuite(open));
    describe("notices", () => noticesSuite(open));
    describe("facts", () => factsSuite(open));
    describe("triggers", () => triggersSuite(open));
    describe("mail", () => mailSuite(open));
    describe("calls of models", () => modelCallsSuite(open));
    describe("budgets of calls", () => modelBudgetsSuite(open));
    describe("calls that wait for a person", () => askedCallsSuite(open));
    describe("budgets of days and months", () => modelPeriodsSuite(open));
    describe("what is sealed", () => proofSuite(open));
    describe("pruning", () => pruneSuite(open));
    describe("erasing", () => eraseSuite(open));
    describe("following", () => followingSuite(open));
  });
}
