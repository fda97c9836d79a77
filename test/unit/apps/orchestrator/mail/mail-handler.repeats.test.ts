// A message that is applied twice, and one under an id that is taken: the log calls no artefact on
// record a refused result.
import { expect, test } from "bun:test";
import { AgentCache } from "../../../../../apps/orchestrator/decide/agent-cache.ts";
import { MailHandler } from "../../../../../apps/orchestrator/mail/mail-handler.ts";
import { MailRefusals } from "../../../../../apps/orchestrator/mail/mail-refusals.ts";
import { readMessage } from "../../../../../apps/orchestrator/mail/read-message.ts";
import { InstanceName } from "../../../../../lib/model/ids.ts";
import { blackboardInMemory } from "../../../../support/blackboard/in-memory.ts";
import { events, queueGrant, user } from "../../../../support/blackboard/scene.ts";
import { agentName, sampleAgent } from "../../../../support/records/sample.ts";
import { leaderDeps } from "../../../../support/world/deps.ts";

/** `apply`: what a leader makes of the message, by a clock that is so much ahead. */
async function createScene() {
  const board = await blackboardInMemory({ instance: InstanceName.parse("mail") }).open();
  await board.registerAgents([sampleAgent("coder")], user, { exact: true });
  const { claim, goal, epoch } = await queueGrant(board);
  const apply = (artefact: object, aheadMs = 0) => {
    const message = {
      say: "result",
      claim: claim.id,
      attempt: 1,
      result: { outcome: "done", artefact },
    };
    const mail = {
      agent: agentName("coder"),
      place: "18446744073709551614-0",
      id: "1",
      text: JSON.stringify({ message }),
    };
    const clock = { now: () => new Date(Date.now() + aheadMs), passedMs: () => 0 };
    const deps = leaderDeps(epoch, { board, clock });
    const handler = new MailHandler(deps.board.asOf(), clock, {
      agentCache: new AgentCache(deps),
      grantLeaseMs: 60_000,
      refusals: new MailRefusals(deps),
    });
    return handler.apply(mail, readMessage(mail.text));
  };
  return { board, goal, apply };
}

test("a message of a time to come that another leader reads later is answered as the first time", async () => {
  const { board, apply } = await createScene();
  for (const aheadMs of [0, 1_000])
    expect(await apply({ type: "Report", payload: "" }, aheadMs)).toBe("ended");
  expect(await events(board, "result_refused")).toEqual([]);
  expect(await events(board, "grant_done")).toHaveLength(1);
});

test("a result under the id of an artefact on record is a message refused, and no result", async () => {
  const { board, goal, apply } = await createScene();
  const reason = `The id ${goal.id} belongs to another artefact.`;
  expect(await apply({ id: goal.id, type: "Report", payload: "mine" })).toEqual({
    outcome: "no",
    reason,
  });
  expect(await events(board, "result_refused")).toEqual([]);
  expect(await events(board, "mail_refused")).toHaveLength(1);
});
