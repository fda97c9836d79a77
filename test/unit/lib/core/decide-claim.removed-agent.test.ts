// The work of an agent that `sett up` has removed comes to an end.
import { expect, test } from "bun:test";
import { ClaimSimulation } from "../../../support/claims/claim-simulation.ts";
import { sampleAgent } from "../../../support/records/sample.ts";

test("an agent that is removed after it has bid fails when its phase comes", () => {
  const claim = new ClaimSimulation([sampleAgent("a"), sampleAgent("b")]);
  claim.bid("a", "review");
  claim.bid("b", "exclusive");
  claim.agents.splice(1, 1);
  expect(claim.decide({ kind: "agent_removed", agent: sampleAgent("b").name })).toBeUndefined();
  const decision = claim.deliver("a");
  expect(decision?.writes.find((write) => write.kind === "fail")).toMatchObject({
    failure: { type: "AgentRemoved" },
  });
  expect(claim.now.claim).toMatchObject({
    status: "terminated",
    termination_reason: expect.stringContaining("b was removed"),
  });
});
