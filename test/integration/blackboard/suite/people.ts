import { expect, test } from "bun:test";
import type { Blackboard } from "../../../../lib/blackboard/port/blackboard.ts";
import type { Artefact } from "../../../../lib/model/artefact.ts";
import type { Grant } from "../../../../lib/model/claim.ts";
import { type ClaimId, CommitHash } from "../../../../lib/model/ids.ts";
import type { Bench } from "../../../support/blackboard/bench.ts";
import {
  acquireLeaderLease,
  at,
  commitOf,
  done,
  events,
  openClaim,
  queued,
  queueGrant,
  resultOf,
  runGrant,
  running,
  user,
} from "../../../support/blackboard/scene.ts";
import {
  agentName,
  newArtefactId,
  sampleAgent,
  sampleArtefact,
  sampleClaim,
} from "../../../support/records/sample.ts";

const coder = agentName("coder");
const base = CommitHash.parse("a".repeat(40));
const next = CommitHash.parse("b".repeat(40));

function answerTo(question: Artefact, payload = "Use MIT."): Artefact {
  const made = {
    produced_by_role: "user",
    produced_by_agent: "",
    goal_id: question.goal_id,
    claim_id: "",
  } as const;
  return sampleArtefact({
    ...made,
    structural_type: "Answer",
    type: "Answer",
    payload,
    source_artefacts: [question.id],
  });
}

/** A running grant of `coder` that asks. */
async function askQuestion(board: Blackboard) {
  const scene = await runGrant(board);
  const question = resultOf(scene.goal, scene.claim, {
    structural_type: "Question",
    type: "Question",
    payload: "Which licence?",
  });
  const result = { outcome: "asked", artefact: question } as const;
  const finished = await board.finishGrant({ ...done(scene.claim.id, question), result });
  return { ...scene, question, finished };
}

export function peopleSuite(open: () => Promise<Bench>): void {
  test("what is said to a goal is given to its open claims, and to those that are opened later", async () => {
    await using bench = await open();
    const { board } = bench;
    const { claim, goal, epoch } = await queueGrant(board);
    const remark = { ...answerTo(goal), type: "PersonSays", source_artefacts: [goal.id] };
    const order = { words: remark, claim: undefined, actor: user } as const;
    expect(await board.tell(order)).toEqual({ outcome: "stored", claims: 1 });
    expect(await board.tell(order)).toEqual({ outcome: "stored", claims: 0 });
    const contextOf = async (id: typeof claim.id) =>
      (await board.readClaim(id))?.claim.additional_context_ids;
    expect(await contextOf(claim.id)).toEqual([remark.id]);
    const artefact = resultOf(goal, claim);
    const result = { outcome: "done", artefact } as const;
    await board.acceptGrant({ claim: claim.id, grant: running("coder"), leaseMs: 60_000 });
    await board.finishGrant({ ...done(claim.id, artefact), result });
    const later = sampleClaim(artefact, []);
    const opening = { claim: later, cause: "standard", grants: [] };
    await board.openClaim({ open: opening, epoch, bidDeadlineMs: 60_000 });
    expect(await contextOf(later.id)).toEqual([remark.id]);
    const second = { ...answerTo(goal), type: "PersonSays", source_artefacts: [goal.id] };
    const ofOne = { words: second, claim: later.id, actor: user };
    expect(await board.tell(ofOne)).toEqual({ outcome: "stored", claims: 1 });
    expect(await contextOf(later.id)).toEqual([remark.id, second.id]);
    await board.endGoal({ goal: goal.goal_id, ending: "cancelled", epoch });
    const third = { ...answerTo(goal), type: "PersonSays", source_artefacts: [goal.id] };
    expect(await board.tell({ ...order, words: third })).toEqual({
      outcome: "refused",
      reason: `Goal ${goal.goal_id} was ended.`,
    });
  });

  test("a question is stored with its grant, which waits without a lease; the repeat is answered alike", async () => {
    await using bench = await open();
    const { claim, question, finished } = await askQuestion(bench.board);
    expect(finished).toEqual({ outcome: "finished" });
    const result = { outcome: "asked", artefact: question } as const;
    const again = { ...done(claim.id, question), result };
    expect(await bench.board.finishGrant(again)).toEqual({ outcome: "finished" });
    const { state: _running, ...given } = running("coder");
    const waiting = {
      ...given,
      state: "waiting",
      waits_for: { kind: "answer", question_id: question.id },
    };
    expect(await bench.board.readClaim(claim.id)).toMatchObject({
      claim: { rev: 3 },
      grants: [waiting],
    });
    expect(await bench.board.listDue(10)).toEqual([]);
    const [event, ...more] = await events(bench.board, "grant_waiting");
    expect(event).toMatchObject({
      agent: coder,
      artefact_id: question.id,
      data: { phase: "exclusive", attempt: 1 },
    });
    expect(more).toEqual([]);
  });

  test("a grant that asks keeps its base commit, or takes the one where the work stood", async () => {
    for (const [moved, expected] of [
      [undefined, base],
      [next, next],
    ] as const) {
      await using bench = await open();
      const { claim, goal } = await queueGrant(bench.board);
      const grant = { ...running("coder"), base_commit: base };
      await bench.board.acceptGrant({ claim: claim.id, grant, leaseMs: 60_000 });
      const artefact = resultOf(goal, claim, { structural_type: "Question", type: "Question" });
      const result = { outcome: "asked", artefact, ...(moved && { base: moved }) } as const;
      await bench.board.finishGrant({ ...done(claim.id, artefact, grant), result });
      const [waiting] = (await bench.board.readClaim(claim.id))?.grants ?? [];
      expect(waiting).toMatchObject({ state: "waiting", base_commit: expected });
    }
  });

  test("a question is put to people once, and an answer takes it from the list; the repeat of the answer is answered alike", async () => {
    await using bench = await open();
    const { question, epoch } = await askQuestion(bench.board);
    expect(await bench.board.listOpenQuestions()).toEqual([]);
    expect(await bench.board.askPeople({ question: question.id, epoch: epoch - 1 })).toEqual({
      outcome: "fenced",
    });
    expect(await bench.board.askPeople({ question: question.id, epoch })).toEqual({
      outcome: "asked",
    });
    expect(await bench.board.askPeople({ question: question.id, epoch })).toEqual({
      outcome: "already",
    });
    expect(await bench.board.listOpenQuestions()).toEqual([question.id]);
    expect(await events(bench.board, "question_asked")).toMatchObject([
      {
        artefact_id: question.id,
        goal_id: question.goal_id,
        claim_id: question.claim_id,
        agent: coder,
      },
    ]);
    const answer = answerTo(question);
    expect(await bench.board.answersOf([question.id])).toEqual([undefined]);
    expect(await bench.board.answerQuestion(answer, user)).toEqual({ outcome: "answered" });
    expect(await bench.board.answerQuestion(answer, user)).toEqual({ outcome: "answered" });
    expect(await bench.board.listOpenQuestions()).toEqual([]);
    expect(await bench.board.answersOf([question.id])).toEqual([answer.id]);
    expect((await events(bench.board, "artefact_created")).at(-1)).toMatchObject({
      actor: user,
      artefact_id: answer.id,
    });
    expect(await bench.board.askPeople({ question: question.id, epoch })).toEqual({
      outcome: "closed",
    });
  });

  test("of two answers the first counts, and the other is refused with its id; one written by hand counts too", async () => {
    await using bench = await open();
    const { question, epoch } = await askQuestion(bench.board);
    const first = answerTo(question);
    await bench.hand.writeArtefact(first.id, {
      ...{
        id: first.id,
        logical_id: first.logical_id,
        version: "1",
        structural_type: "Answer",
        type: "Answer",
        payload: "By hand.",
      },
      ...{ source_artefacts: JSON.stringify([question.id]), produced_by_role: "user" },
    });
    expect(await bench.board.adoptArtefact(first.id, epoch)).toEqual({ outcome: "adopted" });
    const second = answerTo(question);
    expect(await bench.board.answerQuestion(second, user)).toEqual({
      outcome: "taken",
      answer: first.id,
    });
    expect(await bench.board.readArtefact(second.id)).toBeUndefined();
  });

  test("an answer is refused for what is no question, or what no grant waits for any more", async () => {
    await using bench = await open();
    const { question, claim, goal, epoch } = await askQuestion(bench.board);
    await bench.board.askPeople({ question: question.id, epoch });
    const refusal = async (answer: Artefact) => bench.board.answerQuestion(answer, user);
    expect(await refusal(answerTo(goal))).toMatchObject({
      outcome: "refused",
      reason: expect.stringMatching(/no question/),
    });
    const { phase, queued_at } = running("coder");
    const cancelled = {
      agent: coder,
      phase,
      attempt: 1,
      queued_at,
      state: "cancelled",
      ended_at: at,
      reason: "enough",
    } as const;
    await bench.board.commitClaim(
      commitOf(claim.id, epoch, 3, { set: { status: "terminated" }, grants: [cancelled] }),
    );
    expect(await bench.board.listOpenQuestions()).toEqual([]);
    expect(await refusal(answerTo(question))).toMatchObject({
      reason: expect.stringMatching(/coder does not wait/),
    });
    expect(await bench.board.askPeople({ question: question.id, epoch })).toEqual({
      outcome: "closed",
    });
  });

  test("a question that a person has half written is none yet", async () => {
    await using bench = await open();
    const { epoch } = await openClaim(bench.board, []);
    const question = sampleArtefact({ structural_type: "Question", type: "Clarification" });
    const reason = `There is no question ${question.id}.`;
    await bench.hand.writeArtefact(question.id, { id: question.id, structural_type: "Question" });
    expect(await bench.board.askPeople({ question: question.id, epoch })).toEqual({
      outcome: "closed",
    });
    await bench.hand.writeArtefact(question.id, { goal_id: question.goal_id, claim_id: "" });
    expect(await bench.board.answerQuestion(answerTo(question), user)).toEqual({
      outcome: "refused",
      reason,
    });
  });

  test("the end of a goal takes its questions from the list, and says who asked for it", async () => {
    await using bench = await open();
    const { question, goal, epoch } = await askQuestion(bench.board);
    await bench.board.askPeople({ question: question.id, epoch });
    const aboutGoal = resultOf(goal, { ...goal, id: "" } as never, {
      structural_type: "Question",
      produced_by_agent: "",
      claim_id: "",
    });
    await bench.board.createArtefact(aboutGoal, "orchestrator:1");
    expect(await bench.board.askPeople({ question: aboutGoal.id, epoch })).toEqual({
      outcome: "asked",
    });
    await bench.board.endGoal({ goal: goal.goal_id, ending: "cancelled", by: user, epoch });
    expect(await bench.board.listOpenQuestions()).toEqual([]);
    expect(await bench.board.answerQuestion(answerTo(aboutGoal), user)).toMatchObject({
      reason: expect.stringMatching(/was ended/),
    });
    expect(await events(bench.board, "goal_ended")).toMatchObject([
      { data: { ending: "cancelled", by: user } },
    ]);
  });

  test("a paused instance accepts no grant; resuming wakes the agents that have one, and both are logged once", async () => {
    await using bench = await open();
    await bench.board.registerAgents([sampleAgent("coder")], user, { exact: true });
    const { claim, epoch } = await queueGrant(bench.board);
    const accept = () =>
      bench.board.acceptGrant({ claim: claim.id, grant: running("coder"), leaseMs: 60_000 });
    const pause = (paused: boolean) => bench.board.setPaused({ paused, by: user, at, epoch });
    expect(await bench.board.readPause()).toBeUndefined();
    expect(await pause(false)).toEqual({ outcome: "already" });
    expect(await pause(true)).toEqual({ outcome: "set" });
    expect(await pause(true)).toEqual({ outcome: "already" });
    expect(await bench.board.setPaused({ paused: false, by: user, at, epoch: epoch - 1 })).toEqual({
      outcome: "fenced",
    });
    expect(await bench.board.readPause()).toEqual({ since: at, by: user });
    expect(await accept()).toEqual({ outcome: "refused", reason: "The instance is paused." });
    const stop = new AbortController();
    const woken = bench.board.followGrants(coder, stop.signal)[Symbol.asyncIterator]();
    expect((await woken.next()).value).toEqual([claim.id]);
    expect(await pause(false)).toEqual({ outcome: "set" });
    expect((await woken.next()).value).toEqual([claim.id]);
    stop.abort();
    expect(await accept()).toEqual({ outcome: "accepted" });
    const said = await events(bench.board);
    expect(
      said.filter(({ type }) => type === "instance_paused" || type === "instance_resumed"),
    ).toMatchObject([
      { type: "instance_paused", data: { by: user } },
      { type: "instance_resumed", data: { by: user } },
    ]);
  });

  test("a paused goal has no grant taken, others go on, and resuming it wakes its agents; one that is ended is not paused any more", async () => {
    await using bench = await open();
    const { board } = bench;
    await board.registerAgents([sampleAgent("coder")], user, { exact: true });
    const { claim, goal } = await queueGrant(board);
    const other = await queueGrant(board);
    const { epoch } = other;
    const pause = (paused: boolean, request?: string) =>
      board
        .pauseGoal({ goal: goal.goal_id, paused, by: user, at, epoch, ...(request && { request }) })
        .then(({ outcome }) => outcome);
    const take = (of: { claim: { id: ClaimId } }) =>
      board.takeGrant({
        ...{ claim: of.claim.id, agent: coder, attempt: 1, queued_at: at, run: "run" },
        message: { id: crypto.randomUUID(), text: "{}" },
      });
    expect(await pause(false)).toBe("already");
    expect(await pause(true, "7-2")).toBe("set");
    expect(await pause(true, "7-2")).toBe("set");
    expect(await pause(false, "7-1")).toBe("superseded");
    expect(await board.readPausedGoals()).toEqual(
      new Map([[goal.goal_id, { since: at, by: user }]]),
    );
    expect(await board.isHeld(goal.goal_id)).toBe(true);
    expect(await board.isHeld(other.goal.goal_id)).toBe(false);
    expect(await take({ claim })).toEqual({ outcome: "refused", reason: "The goal is paused." });
    expect(await take(other)).toEqual({ outcome: "taken" });
    const stop = new AbortController();
    const woken = board.followGrants(coder, stop.signal)[Symbol.asyncIterator]();
    expect((await woken.next()).value).toContain(claim.id);
    expect(await pause(false, "7-3")).toBe("set");
    expect((await woken.next()).value).toContain(claim.id);
    stop.abort();
    expect(await take({ claim })).toEqual({ outcome: "taken" });
    expect(await pause(true)).toBe("set");
    await board.endGoal({ goal: goal.goal_id, ending: "cancelled", by: user, epoch });
    expect(await board.readPausedGoals()).toEqual(new Map());
    expect(await pause(true)).toBe("over");
    expect((await events(board)).filter(({ type }) => type.startsWith("goal_"))).toMatchObject([
      { type: "goal_paused", goal_id: goal.goal_id, data: { by: user } },
      { type: "goal_resumed", goal_id: goal.goal_id, data: { by: user } },
      { type: "goal_paused" },
      { type: "goal_ended" },
    ]);
  });

  test("of two requests to pause and to go on the later one counts, in whichever order they are handled", async () => {
    await using bench = await open();
    const epoch = await acquireLeaderLease(bench.board);
    const ask = (paused: boolean, request: string) =>
      bench.board
        .setPaused({ paused, by: user, at, request, epoch })
        .then(({ outcome }) => outcome);
    expect(await ask(false, "7-2")).toBe("already");
    expect(await ask(true, "7-1")).toBe("superseded");
    expect(await bench.board.readPause()).toBeUndefined();
    expect(await ask(true, "18446744073709551614-9")).toBe("set");
    expect(await ask(false, "18446744073709551613-10")).toBe("superseded");
    expect(await ask(true, "18446744073709551614-9")).toBe("set");
    expect(await ask(false, "18446744073709551614-10")).toBe("set");
    expect(await ask(false, "18446744073709551614-10")).toBe("set");
    expect((await events(bench.board)).map(({ type }) => type)).toEqual([
      "orchestrator_started",
      "instance_paused",
      "instance_resumed",
    ]);
  });

  test("a claim may begin with the bids of another, and with grants that are done already", async () => {
    await using bench = await open();
    const bids = [{ agent: agentName("lead"), word: "review" as const }];
    const { claim, goal, epoch } = await openClaim(bench.board, ["lead", "coder"], { bids });
    const { state: _running, ...given } = running("lead");
    const done: Grant = {
      ...given,
      phase: "review",
      state: "done",
      ended_at: at,
      artefact_ids: [newArtefactId()],
    };
    const again = {
      ...claim,
      id: crypto.randomUUID() as typeof claim.id,
      kind: "retry",
      bidding: "closed",
      bids,
    } as const;
    const order = { claim: again, cause: "retry:x", grants: [done, queued("coder", 2)] };
    const openedBefore = (await events(bench.board, "grant_queued")).length;
    expect(await bench.board.openClaim({ open: order, epoch, bidDeadlineMs: 1 })).toMatchObject({
      outcome: "opened",
    });
    const snapshot = await bench.board.readClaim(again.id);
    expect(snapshot?.claim.bids).toEqual(bids);
    expect(await bench.hand.readBids(again.id)).toEqual({ lead: "review" });
    // They are on record with the other claim.
    expect(await events(bench.board, "bid_placed")).toEqual([]);
    expect(snapshot?.grants).toMatchObject([
      { agent: "coder", state: "queued", attempt: 2 },
      { agent: "lead", state: "done" },
    ]);
    expect((await events(bench.board, "grant_queued")).slice(openedBefore)).toMatchObject([
      { agent: "coder", data: { attempt: 2 } },
    ]);
    expect(await bench.board.claimsOfArtefact(goal.id)).toEqual(
      new Map([
        ["standard", claim.id],
        ["retry:x", again.id],
      ]),
    );
  });
}
