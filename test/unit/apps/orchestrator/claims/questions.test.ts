// Whom a question goes to while others act: what happens between two reads of the orchestrator.
import { expect, test } from "bun:test";
import { Questions } from "../../../../../apps/orchestrator/claims/questions.ts";
import { Decider } from "../../../../../apps/orchestrator/decide/decide-and-commit.ts";
import { leaderParts } from "../../../../../apps/orchestrator/decide/leader-parts.ts";
import type { Blackboard } from "../../../../../lib/blackboard/port/blackboard.ts";
import { lead } from "../../../../../lib/blackboard/port/leading.ts";
import { startedGrant } from "../../../../../lib/core/started-grant.ts";
import { type ClaimId, InstanceName } from "../../../../../lib/model/ids.ts";
import { defaultPolicy } from "../../../../../lib/model/policy.ts";
import { blackboardInMemory } from "../../../../support/blackboard/in-memory.ts";
import {
  at,
  done,
  events,
  resultOf,
  runGrant,
  running,
  user,
} from "../../../../support/blackboard/scene.ts";
import { agentName, sampleAgent, sampleArtefact } from "../../../../support/records/sample.ts";
import { leaderDeps } from "../../../../support/world/deps.ts";

const [coder, maker, other] = [agentName("coder"), agentName("maker-one"), agentName("maker-two")];

/** The coder asks about a report of maker-one's; maker-two has the same role. */
async function askedScene() {
  const board = await blackboardInMemory({ instance: InstanceName.parse("test") }).open();
  const makers = [maker, other].map((name) => sampleAgent(name, { role: "maker" }));
  await board.registerAgents([sampleAgent("coder"), ...makers], user, { exact: true });
  const { claim, goal, epoch } = await runGrant(board);
  const origin = {
    goal_id: goal.goal_id,
    source_artefacts: [goal.id],
    produced_by_role: "maker",
    produced_by_agent: maker,
  };
  const report = sampleArtefact({ type: "Report", ...origin });
  await board.createArtefact(report, user);
  const question = resultOf(report, claim, { structural_type: "Question", type: "Clarification" });
  const result = { outcome: "asked", artefact: question } as const;
  await board.finishGrant({ claim: claim.id, grant: running("coder"), endedAt: at, result });
  const settleOn = async (read: Blackboard) => {
    const deps = leaderDeps(epoch, {
      board: read,
      policy: { ...defaultPolicy, clarification: "tiered" },
    });
    const parts = leaderParts(deps);
    const decider = new Decider(deps, parts);
    await new Questions(deps, parts.agentCache, decider).settleQuestion(question.id);
    return decider;
  };
  const decider = await settleOn(board);
  const clarification = (await board.claimsOfArtefact(question.id)).get(
    `clarification:${maker}`,
  ) as ClaimId;
  /** The maker answers, and its claim completes. */
  const answer = async () => {
    const [snapshot] = await board.readClaims([clarification]);
    const [grant] = snapshot?.grants ?? [];
    if (snapshot === undefined || grant?.state !== "queued") return;
    const started = startedGrant(grant, { started_at: at, context_ids: [] });
    await board.acceptGrant({ claim: clarification, grant: started, leaseMs: 60_000 });
    const made = {
      structural_type: "Answer",
      type: "Answer",
      produced_by_role: "maker",
      produced_by_agent: maker,
    } as const;
    await board.finishGrant(done(clarification, resultOf(question, snapshot.claim, made), started));
    await decider.decide(clarification, { kind: "progress" }, lead(board, epoch).asOf());
  };
  return { board, question, claim, settleOn, answer };
}

for (const call of ["claimsOfArtefact", "readClaims", "answersOf", "readHeads"] as const)
  test(`an agent that answers before the read of ${call} is no agent that gave no answer: no other agent is asked`, async () => {
    const { board, question, claim, settleOn, answer } = await askedScene();
    const read = board[call] as (...args: unknown[]) => Promise<unknown>;
    const meanwhile = async (...args: unknown[]) => {
      await answer();
      return read(...args);
    };
    await settleOn({ ...board, [call]: meanwhile });
    expect([...(await board.claimsOfArtefact(question.id)).keys()]).toEqual([
      `clarification:${maker}`,
    ]);
    await settleOn(board);
    expect(await events(board, "grant_queued")).not.toContainEqual(
      expect.objectContaining({ agent: other }),
    );
    expect((await board.readClaim(claim.id))?.grants).toMatchObject([
      { agent: coder, state: "queued", attempt: 2 },
    ]);
  });
