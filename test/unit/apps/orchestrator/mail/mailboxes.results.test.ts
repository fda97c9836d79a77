// A start, its result, and what the result decides.
import { expect, test } from "bun:test";
import { Decider } from "../../../../../apps/orchestrator/decide/decide-and-commit.ts";
import { leaderParts } from "../../../../../apps/orchestrator/decide/leader-parts.ts";
import { Mailboxes } from "../../../../../apps/orchestrator/mail/mailboxes.ts";
import type { Blackboard } from "../../../../../lib/blackboard/port/blackboard.ts";
import type { Claim } from "../../../../../lib/model/claim.ts";
import { InstanceName } from "../../../../../lib/model/ids.ts";
import { blackboardInMemory } from "../../../../support/blackboard/in-memory.ts";
import { at, commitOf, events, queueGrant, user } from "../../../../support/blackboard/scene.ts";
import { agentName, newArtefactId, sampleAgent } from "../../../../support/records/sample.ts";
import { waitFor } from "../../../../support/wait-for.ts";
import { leaderDeps } from "../../../../support/world/deps.ts";

const coder = agentName("coder");
const run = { started_at: at, context_ids: [] };

/**
 * A leader that knows the coder's queued grant, and counts what it calls. `before`: what happens to
 * the claim unseen.
 */
async function scene(
  before?: (at: { board: Blackboard; claim: Claim; epoch: number }) => Promise<unknown>,
) {
  const board = await blackboardInMemory({ instance: InstanceName.parse("post") }).open();
  await board.registerAgents([sampleAgent("coder")], user, { exact: true });
  const { claim, goal, epoch } = await queueGrant(board);
  const called: string[] = [];
  const counted = <Name extends "acceptGrant" | "finishGrant" | "commitClaim">(
    name: Name,
  ): Blackboard[Name] =>
    ((order: never) => {
      called.push(name);
      return board[name](order);
    }) as Blackboard[Name];
  const own = {
    acceptGrant: counted("acceptGrant"),
    finishGrant: counted("finishGrant"),
    commitClaim: counted("commitClaim"),
  };
  const deps = leaderDeps(epoch, { board: { ...board, ...own } });
  const parts = leaderParts(deps);
  const { agentCache, known: knownClaims } = parts;
  const decider = new Decider(deps, parts);
  const known = await board.readClaim(claim.id);
  if (known !== undefined) knownClaims.put(known, board.connectionNumber());
  await before?.({ board, claim, epoch });
  const send = (message: object, quiet: boolean) =>
    board.sendMail(coder, {
      id: crypto.randomUUID(),
      text: JSON.stringify({ ...(quiet && { quiet }), message }),
    });
  const ofAttempt = { claim: claim.id, attempt: 1, queued_at: at };
  await send({ say: "started", ...ofAttempt, run }, true);
  const artefact = { id: newArtefactId(), type: "Report", payload: "done" };
  await send(
    { say: "result", ...ofAttempt, ended_at: at, run, result: { outcome: "done", artefact } },
    false,
  );
  const stop = new AbortController();
  const mailboxes = new Mailboxes(deps, {
    agentCache,
    known: knownClaims,
    decider,
    grantLeaseMs: 60_000,
  });
  const running = mailboxes.run(stop.signal);
  return {
    board,
    claim,
    goal,
    called,
    known: knownClaims,
    decider,
    asOf: () => deps.board.asOf(),
    stored: () => waitFor("the result", () => board.readArtefact(artefact.id)),
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await running;
      await board[Symbol.asyncDispose]();
    },
  };
}

test("the result and what it decides are one call, and the events that follow need none", async () => {
  await using it = await scene();
  await it.stored();
  await waitFor(
    "the end",
    async () => (await it.board.readClaim(it.claim.id))?.claim.status === "complete",
  );
  expect(it.called).toEqual(["acceptGrant", "finishGrant"]);
  const types = (await events(it.board)).slice(-4).map(({ type }) => type);
  expect(types).toEqual(["grant_started", "artefact_created", "grant_done", "claim_completed"]);
  it.board.readClaim = () => Promise.reject(new Error("An ended claim is read again."));
  expect(
    await it.decider.decide(it.claim.id, { kind: "progress" }, it.asOf(), { source: "log" }),
  ).toBe(false);
  expect(it.called).toEqual(["acceptGrant", "finishGrant"]);
});

test("where the claim has moved meanwhile the result is stored, and the claim is looked at again", async () => {
  await using it = await scene(({ board, claim, epoch }) =>
    board.commitClaim(commitOf(claim.id, epoch, 1)),
  );
  await it.stored();
  expect(await it.board.readClaim(it.claim.id)).toMatchObject({
    claim: { status: "pending_exclusive" },
    grants: [{ state: "done" }],
  });
  await waitFor("the cache", () => it.known.get(it.claim.id) === undefined);
  expect(
    await it.decider.decide(it.claim.id, { kind: "progress" }, it.asOf(), { source: "log" }),
  ).toBe(true);
  expect((await it.board.readClaim(it.claim.id))?.claim.status).toBe("complete");
});
