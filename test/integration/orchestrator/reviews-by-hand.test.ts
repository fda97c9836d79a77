// The words of an agent that takes part by hand are its own: its Review passes for no person's.
import { expect, test } from "bun:test";
import { byMail } from "../../../lib/blackboard/mail/by-mail.ts";
import type { RunningGrant } from "../../../lib/model/claim.ts";
import { AgentName } from "../../../lib/model/ids.ts";
import { grantLeaseMs } from "../../../lib/model/leases.ts";
import { newArtefactId, sampleArtefact } from "../../support/records/sample.ts";
import { waitFor } from "../../support/wait-for.ts";
import { Clan } from "../../support/world/clan.ts";
import { placeInMemory } from "../../support/world/place.ts";

const hand = AgentName.parse("hand");

test("a Review by hand names no person as the one who has given it", async () => {
  const place = placeInMemory();
  await using clan = new Clan(place, await place.open(), { contactMs: 0 });
  await clan.join({ hand: { external: true, bids: [{ on: "GoalDefined", bid: "review" }] } });
  await clan.startOrchestrator();
  const goal = await clan.postGoal();
  const board = byMail(await place.open(), { agent: hand });
  const { claim, grants } = await waitFor("the grant", async () => {
    const snapshot = await clan.claimOn(goal);
    return snapshot.grants.length > 0 && snapshot;
  });
  const running = { ...grants[0], started_at: new Date().toISOString(), context_ids: [] };
  const begun = { ...running, state: "running" } as RunningGrant;
  await board.acceptGrant({ claim: claim.id, grant: begun, leaseMs: grantLeaseMs });
  const artefact = sampleArtefact({
    ...{ id: newArtefactId(), structural_type: "Review", type: "Review", payload: "{}" },
    ...{ produced_by_role: "hand", produced_by_agent: "hand", goal_id: goal.goal_id },
    ...{ claim_id: claim.id, source_artefacts: [goal.id] },
    metadata: { summary: "Approved by Ada", by: "Ada <ada@example.org>", lines: 3 },
  });
  const ended = { claim: claim.id, grant: begun, endedAt: new Date().toISOString() };
  await board.finishGrant({ ...ended, result: { outcome: "done", artefact } });
  const made = await clan.made(goal, ({ structural_type }) => structural_type === "Review");
  expect(made.metadata).toEqual({ summary: "Approved by Ada", lines: 3 } as never);
});
