// Shows what agents say by mail, from what they send to what is on record.

import { expect, test } from "bun:test";
import { randomUUID } from "node:crypto";
import { AgentCache } from "../../../../../apps/orchestrator/decide/agent-cache.ts";
import { MailHandler } from "../../../../../apps/orchestrator/mail/mail-handler.ts";
import { MailRefusals } from "../../../../../apps/orchestrator/mail/mail-refusals.ts";
import { Mailboxes } from "../../../../../apps/orchestrator/mail/mailboxes.ts";
import { readMessage } from "../../../../../apps/orchestrator/mail/read-message.ts";
import { byMail } from "../../../../../lib/blackboard/mail/by-mail.ts";
import { Fenced } from "../../../../../lib/blackboard/port/leading.ts";
import type { MailAnswer } from "../../../../../lib/blackboard/port/mail-port.ts";
import { SettError } from "../../../../../lib/model/errors.ts";
import { type ClaimId, InstanceName } from "../../../../../lib/model/ids.ts";
import { blackboardInMemory } from "../../../../support/blackboard/in-memory.ts";
import {
  acquireLeaderLease,
  at,
  events,
  openClaim,
  queueGrant,
  resultOf,
  running,
  user,
} from "../../../../support/blackboard/scene.ts";
import {
  agentName,
  newArtefactId,
  newClaimId,
  sampleAgent,
  sampleArtefact,
} from "../../../../support/records/sample.ts";
import { waitFor } from "../../../../support/wait-for.ts";
import { leaderDeps } from "../../../../support/world/deps.ts";

const coder = agentName("coder");

/** A reader of mailboxes that reads the mail of the coder, and the coder's hand at its mailbox. */
async function mailbox() {
  const memory = blackboardInMemory({ instance: InstanceName.parse("post") });
  const board = await memory.open();
  await board.registerAgents([sampleAgent("coder"), sampleAgent("critic")], user, { exact: true });
  const stop = new AbortController();
  const answers: MailAnswer[] = [];
  void (async () => {
    for await (const batch of board.followMailAnswers(coder, stop.signal, () => {}))
      answers.push(...batch);
  })();
  let passedMs = 0;
  const clock = { now: () => new Date(), passedMs: () => passedMs };
  return {
    memory,
    board,
    answers,
    pass: (ms: number) => {
      passedMs += ms;
    },
    /** Begins once the scene has its leader. */
    open: (epoch: number) => {
      const deps = leaderDeps(epoch, { board, clock });
      return new Mailboxes(deps, { agentCache: new AgentCache(deps), grantLeaseMs: 60_000 }).run(
        stop.signal,
      );
    },
    /** Resolves with the answer. */
    say: async (message: unknown) => {
      const id = randomUUID();
      const text = typeof message === "string" ? message : JSON.stringify({ message });
      await board.sendMail(coder, { id, text });
      const answer = () => answers.find(({ re }) => re === id);
      await waitFor("the answer", () => answer() !== undefined);
      return JSON.parse(answer()?.text ?? "");
    },
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      await board[Symbol.asyncDispose]();
    },
  };
}

test("a cub that works by mail leaves on record what it does, as the agent, with its host", async () => {
  await using scene = await mailbox();
  const { board } = scene;
  const { claim, goal, epoch } = await openClaim(board, ["coder", "critic"]);
  void scene.open(epoch);
  await using cub = byMail(await scene.memory.open(), { agent: coder, host: "host-1" });
  expect(
    await cub.placeBid({ claim: claim.id, agent: coder, word: "exclusive", reason: "It is code." }),
  ).toEqual({
    outcome: "placed",
    word: "exclusive",
  });
  expect(
    await cub.placeBid({ claim: newClaimId(), agent: coder, word: "exclusive" }),
  ).toMatchObject({ outcome: "refused" });
  const queued = await queueGrant(board);
  const grant = { ...running("coder"), context_ids: [goal.id], run_id: randomUUID() };
  expect(await cub.acceptGrant({ claim: queued.claim.id, grant, leaseMs: 1 })).toEqual({
    outcome: "accepted",
  });
  const grants = async () => (await board.readClaim(queued.claim.id))?.grants;
  await waitFor(
    "its start to be on record",
    async () => (await grants())?.[0]?.state === "running",
  );
  expect(await grants()).toEqual([grant]);
  const lease = { claim: queued.claim.id, agent: coder, attempt: 1, leaseMs: 1 };
  expect(await cub.renewLease(lease)).toEqual({ outcome: "renewed" });
  expect(await cub.renewLease({ ...lease, attempt: 2 })).toMatchObject({ outcome: "refused" });
  for (const progress of [{ files: 1, of: 2 }, "over"] as const) {
    expect(await cub.notePreparing({ ...lease, progress })).toEqual({ outcome: "noted" });
    const late = { ...lease, attempt: 2, progress };
    expect(await cub.notePreparing(late)).toMatchObject({ outcome: "refused" });
  }
  const artefact = resultOf(queued.goal, queued.claim, {
    produced_by_role: "coder",
    produced_by_agent: "coder",
  });
  const order = {
    claim: queued.claim.id,
    grant,
    endedAt: at,
    result: { outcome: "done", artefact },
  } as const;
  expect(await cub.finishGrant(order)).toEqual({ outcome: "finished" });
  expect(await cub.finishGrant(order)).toEqual({ outcome: "finished" });
  const said = (await events(board)).filter(({ actor }) => actor.startsWith("agent:"));
  expect(said.map(({ type, actor }) => [type, actor])).toEqual([
    ["bid_placed", "agent:coder@host-1"],
    ["grant_started", "agent:coder@host-1"],
    ["artefact_created", "agent:coder@host-1"],
    ["grant_done", "agent:coder@host-1"],
  ]);
  expect(await events(board, "mail_refused")).toEqual([]);
});

test("refusals are on record at once, then at most every ten seconds, counted", async () => {
  await using scene = await mailbox();
  const epoch = await acquireLeaderLease(scene.board);
  void scene.open(epoch);
  const refused = async () =>
    (await events(scene.board, "mail_refused")).map(({ agent, data }) => [agent, data?.count]);
  expect(await scene.say("{")).toMatchObject({
    outcome: "no",
    reason: expect.stringMatching(/^The message cannot be read: /),
  });
  for (const message of [
    { say: "approve" },
    { say: "bid", claim: newClaimId(), word: "claim", agent: "critic" },
    1,
  ])
    expect(await scene.say(message)).toMatchObject({ outcome: "no" });
  expect(await refused()).toEqual([[coder, 1]]);
  scene.pass(10_000);
  await scene.say("{");
  expect(await refused()).toEqual([
    [coder, 1],
    [coder, 4],
  ]);
});

test("what cannot be stored, or read by others, is refused before it is on record", async () => {
  await using scene = await mailbox();
  const { claim, goal, epoch } = await queueGrant(scene.board);
  void scene.open(epoch);
  const result = (over: object, more = {}) =>
    scene.say({
      say: "result",
      claim: claim.id,
      result: { outcome: "done", artefact: { type: "Report", payload: "", ...over } },
      ...more,
    });
  const deep = JSON.parse(`${"[".repeat(200)}${"]".repeat(200)}`);
  for (const refused of [
    await result({ payload: "half \ud800" }),
    await result({ metadata: { "\ud800": 1 } }),
    await result({ metadata: { deep } }),
    await result({ metadata: { long: "x".repeat(1_100_000) } }),
    await result({ created_at: "+275760-09-13T00:00:00.000Z" }),
    await result({ type: "" }),
  ])
    expect(refused).toMatchObject({ outcome: "no" });
  expect(await scene.board.listArtefactsOfGoal(goal.goal_id)).toEqual([goal.id]);
  expect((await scene.board.readClaim(claim.id))?.grants).toMatchObject([{ state: "queued" }]);
});

test("the times of a run and of its result are those of the record, whatever its agent says", async () => {
  await using scene = await mailbox();
  const { claim, epoch } = await queueGrant(scene.board);
  void scene.open(epoch);
  const far = "2999-01-01T00:00:00.000Z";
  const run = { run_id: randomUUID(), started_at: far, context_ids: [] };
  for (const _ of ["first", "again"])
    expect(await scene.say({ say: "started", claim: claim.id, attempt: 1, run })).toEqual({
      outcome: "yes",
    });
  const artefact = { type: "CodeCommit", payload: "", created_at: far };
  const result = {
    say: "result",
    claim: claim.id,
    attempt: 1,
    ended_at: far,
    result: { outcome: "done", artefact },
  };
  expect(await scene.say(result)).toEqual({ outcome: "yes" });
  const [grant] = (await scene.board.readClaim(claim.id))?.grants ?? [];
  const [, made] = await scene.board.readArtefacts(
    await scene.board.listArtefactsOfGoal(claim.goal_id),
  );
  const times = grant?.state === "done" ? [grant.started_at, grant.ended_at, made?.created_at] : [];
  expect(times).toHaveLength(3);
  for (const time of times)
    expect(Math.abs(Date.parse(time ?? "") - Date.now())).toBeLessThan(3_600_000);
  const early = {
    ...result,
    result: { outcome: "done", artefact: { ...artefact, created_at: "1999-01-01T00:00:00.000Z" } },
  };
  const other = await queueGrant(scene.board);
  expect(
    await scene.say({ ...early, claim: other.claim.id, ended_at: "1999-01-01T00:00:00.000Z" }),
  ).toEqual({ outcome: "yes" });
  const [, later] = await scene.board.readArtefacts(
    await scene.board.listArtefactsOfGoal(other.claim.goal_id),
  );
  expect(Math.abs(Date.parse(later?.created_at ?? "") - Date.now())).toBeLessThan(3_600_000);
});

test("an external agent names only what it was given: the target's context, and the latest versions in it", async () => {
  await using scene = await mailbox();
  const { board } = scene;
  await board.registerAgents([sampleAgent("coder", { external: true })], user, { exact: true });
  const { claim, goal, epoch } = await queueGrant(board);
  void scene.open(epoch);
  const [aside, foreign] = [sampleArtefact({ goal_id: goal.goal_id }), sampleArtefact()];
  for (const each of [aside, foreign]) await board.createArtefact(each, user);
  const started = (context_ids: unknown[]) =>
    scene.say({
      say: "started",
      claim: claim.id,
      attempt: 1,
      run: { run_id: randomUUID(), started_at: at, context_ids },
    });
  const finished = (source_artefacts: unknown[], more = {}) => {
    const artefact = { type: "Report", payload: "", source_artefacts };
    return scene.say({
      say: "result",
      claim: claim.id,
      attempt: 1,
      result: { outcome: "done", artefact },
      ...more,
    });
  };
  for (const id of [aside.id, foreign.id, newArtefactId()]) {
    const no = { outcome: "no", reason: `Agent coder was not given ${id}, which it names.` };
    expect(await started([goal.id, id])).toEqual(no);
    expect(await finished([goal.id, id])).toEqual(no);
    const run = { started_at: at, context_ids: [id] };
    expect(await finished([goal.id], { run })).toEqual(no);
  }
  expect((await board.readClaim(claim.id))?.grants).toMatchObject([{ state: "queued" }]);
  expect(await started([goal.id])).toEqual({ outcome: "yes" });
  expect(await finished([goal.id])).toEqual({ outcome: "yes" });
});

test("an agent that chooses the place of its message in the future gives its result no time to come", async () => {
  await using scene = await mailbox();
  const { claim, epoch } = await queueGrant(scene.board);
  const deps = leaderDeps(epoch, { board: scene.board });
  const handler = new MailHandler(deps.board.asOf(), deps.clock, {
    agentCache: new AgentCache(deps),
    grantLeaseMs: 60_000,
    refusals: new MailRefusals(deps),
  });
  const message = {
    say: "result",
    claim: claim.id,
    result: { outcome: "done", artefact: { type: "Report", payload: "" } },
  };
  const mail = {
    agent: coder,
    place: "18446744073709551614-0",
    id: "1",
    text: JSON.stringify({ message }),
  };
  expect(await handler.apply(mail, readMessage(mail.text))).toBe("ended");
  const [, report] = await scene.board.listArtefactsOfGoal(claim.goal_id);
  const artefact = await scene.board.readArtefact(report ?? newArtefactId());
  expect(Math.abs(Date.parse(artefact?.created_at ?? "") - Date.now())).toBeLessThan(3_600_000);
});

test("who says no more than the result has started and ended its grant", async () => {
  await using scene = await mailbox();
  const { claim, goal, epoch } = await queueGrant(scene.board);
  void scene.open(epoch);
  const artefact = { type: "Report", payload: "All is well." };
  expect(
    await scene.say({ say: "result", claim: claim.id, result: { outcome: "done", artefact } }),
  ).toEqual({ outcome: "yes" });
  const { grants } = (await scene.board.readClaim(claim.id)) ?? { grants: [] };
  expect(grants).toMatchObject([{ agent: coder, state: "done", context_ids: [] }]);
  const id = grants[0]?.state === "done" ? grants[0].artefact_ids[0] : undefined;
  expect(await scene.board.readArtefact(id ?? newArtefactId())).toMatchObject({
    ...artefact,
    ...{ produced_by_agent: "coder", produced_by_role: "coder", structural_type: "Standard" },
    ...{ goal_id: goal.goal_id, claim_id: claim.id, source_artefacts: [goal.id] },
  });
});

test("a run that does not say what it has read is started at the time of its message", async () => {
  await using scene = await mailbox();
  const { claim, epoch } = await queueGrant(scene.board);
  void scene.open(epoch);
  expect(await scene.say({ say: "started", claim: claim.id, attempt: 2 })).toMatchObject({
    outcome: "no",
  });
  expect(
    await scene.say({ say: "started", claim: claim.id, queued_at: "2025-01-01T00:00:00.000Z" }),
  ).toMatchObject({
    outcome: "no",
    reason: expect.stringMatching(/queued anew/),
  });
  expect(await scene.say({ say: "started", claim: claim.id })).toEqual({ outcome: "yes" });
  expect(await scene.say({ say: "alive", claim: claim.id })).toEqual({ outcome: "yes" });
  const [grant] = (await scene.board.readClaim(claim.id))?.grants ?? [];
  expect(grant).toMatchObject({ state: "running", context_ids: [] });
});

test("results that come too late are on record each, a hundred in a minute; the rest is counted", async () => {
  await using scene = await mailbox();
  const { claim, goal, epoch } = await queueGrant(scene.board);
  void scene.open(epoch);
  const late = () => {
    const artefact = { id: newArtefactId(), type: "Report", payload: "late" };
    return scene.say({
      say: "result",
      claim: claim.id,
      attempt: 1,
      result: { outcome: "done", artefact },
    });
  };
  expect(await late()).toEqual({ outcome: "yes" });
  for (let count = 0; count < 110; count += 1)
    expect(await late()).toMatchObject({ outcome: "no" });
  expect(await events(scene.board, "result_refused")).toHaveLength(100);
  expect(await events(scene.board, "mail_refused")).toMatchObject([{ data: { count: 1 } }]);
  scene.pass(60_000);
  await late();
  expect(await events(scene.board, "result_refused")).toHaveLength(101);
  expect(await scene.board.listArtefactsOfGoal(goal.goal_id)).toHaveLength(2);
});

test("a result that counts is stored, however many others of its agent came too late", async () => {
  await using scene = await mailbox();
  const { claim, epoch } = await queueGrant(scene.board);
  const next = await queueGrant(scene.board);
  void scene.open(next.epoch ?? epoch);
  const result = (of: ClaimId) => {
    const artefact = { id: newArtefactId(), type: "Report", payload: "{}" };
    return scene.say({
      say: "result",
      claim: of,
      attempt: 1,
      result: { outcome: "done", artefact },
    });
  };
  for (let count = 0; count < 105; count += 1) await result(claim.id);
  expect(await result(next.claim.id)).toEqual({ outcome: "yes" });
  expect((await scene.board.readClaim(next.claim.id))?.grants).toMatchObject([{ state: "done" }]);
  expect(await events(scene.board, "result_refused")).toHaveLength(100);
});

test("a result of an attempt that has not begun, or of no grant, is refused and stored nowhere", async () => {
  await using scene = await mailbox();
  const { claim, goal, epoch } = await queueGrant(scene.board);
  void scene.open(epoch);
  const artefact = { type: "Report", payload: "early" };
  const refused = [
    await scene.say({
      say: "result",
      claim: claim.id,
      attempt: 2,
      result: { outcome: "done", artefact },
    }),
    await scene.say({ say: "result", claim: newClaimId(), result: { outcome: "done", artefact } }),
    await scene.say({
      say: "result",
      claim: claim.id,
      result: { outcome: "done", artefact: { ...artefact, claim_id: "" } },
    }),
  ];
  expect(refused.map(({ outcome }) => outcome)).toEqual(["no", "no", "no"]);
  expect(await events(scene.board, "result_refused")).toEqual([]);
  expect(await scene.board.listArtefactsOfGoal(goal.goal_id)).toEqual([goal.id]);
});

test("after a loss of contact, what is unanswered is applied again, on the new connection", async () => {
  await using scene = await mailbox();
  const { claim, epoch } = await openClaim(scene.board, ["coder", "critic"]);
  await scene.board.sendMail(coder, {
    id: "1",
    text: JSON.stringify({ message: { say: "bid", claim: claim.id, word: "claim" } }),
  });
  void scene.open(epoch);
  await scene.memory.reconnect();
  const answers = () => scene.memory.hand.readAnswers(coder);
  await waitFor("the answer", () => answers().length > 0);
  expect(answers()).toEqual([["re", "1", "text", '{"outcome":"yes","word":"claim"}']]);
  expect(await events(scene.board, "bid_placed")).toHaveLength(1);
});

test("it begins to read anew for an agent that is new, and only once", async () => {
  await using scene = await mailbox();
  let openings = 0;
  const followMail: typeof scene.board.followMail = (...how) => {
    openings += 1;
    return scene.board.followMail(...how);
  };
  const epoch = await acquireLeaderLease(scene.board);
  const deps = leaderDeps(epoch, { board: { ...scene.board, followMail } });
  const opened = new Mailboxes(deps, { agentCache: new AgentCache(deps), grantLeaseMs: 60_000 });
  const stop = new AbortController();
  const running = opened.run(stop.signal);
  await waitFor("the first", () => openings === 1);
  opened.noteSender(coder);
  await waitFor("the second", () => openings === 2);
  opened.noteSender(coder);
  expect(await scene.say({ say: "alive", claim: newClaimId() })).toMatchObject({ outcome: "no" });
  expect(openings).toBe(2);
  stop.abort();
  await running;
});

test("a result during which the function that stores it is out of order is stored once that is mended", async () => {
  await using scene = await mailbox();
  const { claim, goal, epoch } = await queueGrant(scene.board);
  let calls = 0;
  const finishGrant: typeof scene.board.finishGrant = (order) => {
    calls += 1;
    if (calls <= 3)
      return Promise.reject(
        new SettError("blackboard-refused", "Redis refused a command: ERR it is out of order."),
      );
    return scene.board.finishGrant(order);
  };
  const deps = leaderDeps(epoch, { board: { ...scene.board, finishGrant } });
  const stop = new AbortController();
  const running = new Mailboxes(deps, {
    agentCache: new AgentCache(deps),
    grantLeaseMs: 60_000,
  }).run(stop.signal);
  const artefact = { type: "Report", payload: "All is well." };
  expect(
    await scene.say({ say: "result", claim: claim.id, result: { outcome: "done", artefact } }),
  ).toEqual({ outcome: "yes" });
  expect(await scene.board.listArtefactsOfGoal(goal.goal_id)).toHaveLength(2);
  expect(await events(scene.board, "mail_refused")).toEqual([]);
  stop.abort();
  await running;
});

test("one whose leadership is over refuses nothing any more", async () => {
  await using scene = await mailbox();
  const epoch = await acquireLeaderLease(scene.board);
  await acquireLeaderLease(scene.board);
  await scene.board.sendMail(coder, { id: "1", text: "{" });
  await expect(scene.open(epoch)).rejects.toBeInstanceOf(Fenced);
  expect(await events(scene.board, "mail_refused")).toEqual([]);
});
