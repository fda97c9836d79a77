import { expect, test } from "bun:test";
import type { Blackboard } from "../../../../lib/blackboard/port/blackboard.ts";
import type { Mail } from "../../../../lib/blackboard/port/mail-port.ts";
import type { Bench } from "../../../support/blackboard/bench.ts";
import {
  acquireLeaderLease,
  at,
  commitOf,
  events,
  queueGrant,
  running,
  user,
} from "../../../support/blackboard/scene.ts";
import { agentName, newClaimId, sampleAgent } from "../../../support/records/sample.ts";

const coder = agentName("coder");
const [one, other] = [
  "00000000-0000-4000-8000-000000000001",
  "00000000-0000-4000-8000-000000000002",
];

/** A queued grant of the coder, whose mail is read. */
async function scene(board: Blackboard, paused: "instance" | "goal" = "instance") {
  await board.registerAgents([sampleAgent("coder")], user, { exact: true });
  const { claim, epoch, goal } = await queueGrant(board);
  const take = (run: string, over: object = {}) =>
    board.takeGrant({
      claim: claim.id,
      agent: coder,
      attempt: 1,
      queued_at: at,
      run,
      message: { id: run, text: "started" },
      ...over,
    });
  const accept = (run: string, place?: string) =>
    board.acceptGrant({
      ...{ claim: claim.id, grant: { ...running("coder"), run_id: run }, leaseMs: 60_000 },
      ...(place !== undefined && { mail: { place, id: run, isQuiet: true } }),
    });
  const pause = async (isPaused: boolean) => {
    const order = { paused: isPaused, by: user, at, epoch };
    if (paused === "instance") await board.setPaused(order);
    else await board.pauseGoal({ ...order, goal: goal.goal_id });
  };
  return { claim, goal, epoch, take, accept, pause };
}

/** Returns what is in the coder's mail before a last message that this sends. */
async function mailOf(board: Blackboard): Promise<string[]> {
  return (await readMail(board)).map(({ id, text }) => `${id} ${text}`.trim());
}

async function readMail(board: Blackboard): Promise<Mail[]> {
  await board.sendMail(coder, { id: "last", text: "" });
  const stop = new AbortController();
  const seen: Mail[] = [];
  for await (const mails of board.followMail(stop.signal, () => false)) {
    seen.push(...mails);
    if (seen.some(({ id }) => id === "last")) stop.abort();
  }
  return seen.filter(({ id }) => id !== "last");
}

export function takingSuite(open: () => Promise<Bench>): void {
  test("one run takes a queued grant, which sends its message once; a repeat is answered alike, another run is refused", async () => {
    await using bench = await open();
    const { claim, take } = await scene(bench.board);
    expect(await take(one)).toEqual({ outcome: "taken" });
    expect(await take(one)).toEqual({ outcome: "taken" });
    expect(await take(other)).toEqual({
      outcome: "refused",
      reason: "Another run has taken the grant.",
    });
    expect(await mailOf(bench.board)).toEqual([`${one} started`]);
    // On record is only what the orchestrator writes.
    expect((await bench.board.readClaim(claim.id))?.grants).toMatchObject([{ state: "queued" }]);
    expect(await events(bench.board, "grant_started")).toEqual([]);
  });

  test("what is not, or no longer, queued cannot be taken", async () => {
    await using bench = await open();
    const { claim, goal, epoch, take, accept } = await scene(bench.board);
    const refused = (reason: RegExp) => ({
      outcome: "refused",
      reason: expect.stringMatching(reason),
    });
    expect(await take(one, { attempt: 2 })).toMatchObject(refused(/queued in attempt 1/));
    expect(await take(one, { queued_at: "2025-12-31T00:00:00.000Z" })).toMatchObject(
      refused(/queued anew/),
    );
    expect(await take(one, { agent: agentName("tester") })).toMatchObject(
      refused(/no grant for tester/),
    );
    expect(await take(one, { claim: newClaimId() })).toMatchObject(refused(/There is no claim/));
    expect(await take(one)).toEqual({ outcome: "taken" });
    expect(await accept(one)).toEqual({ outcome: "accepted" });
    expect(await take(one)).toEqual({ outcome: "taken" });
    expect(await take(other)).toMatchObject(refused(/running in attempt 1/));
    await bench.board.endGoal({ goal: goal.goal_id, ending: "cancelled", epoch });
    expect(await take(other)).toMatchObject(refused(/Goal .* was ended/));
    await bench.board.commitClaim(commitOf(claim.id, epoch, 2, { set: { status: "terminated" } }));
    expect(await take(other)).toMatchObject(refused(/has ended/));
    expect(await mailOf(bench.board)).toEqual([`${one} started`]);
  });

  for (const paused of ["instance", "goal"] as const) {
    const refusal = { outcome: "refused" as const, reason: `The ${paused} is paused.` };

    test(`nothing is taken while the ${paused} is paused; what was taken before starts, and its event says so`, async () => {
      await using bench = await open();
      const { take, accept, pause } = await scene(bench.board, paused);
      await pause(true);
      expect(await take(one)).toEqual(refusal);
      expect(await accept(one)).toEqual(refusal);
      await pause(false);
      expect(await take(one)).toEqual({ outcome: "taken" });
      await pause(true);
      expect(await accept(other)).toEqual(refusal);
      const [started] = await readMail(bench.board);
      expect(await accept(one, started?.place)).toEqual({ outcome: "accepted" });
      expect((await events(bench.board, "grant_started")).map(({ data }) => data)).toEqual([
        { phase: "exclusive", attempt: 1, rev: 2, taken_before_pause: true },
      ]);
    });

    test(`what an agent says in a pause of the ${paused} starts nothing, whatever it has noted down and said before`, async () => {
      await using bench = await open();
      const { take, accept, pause } = await scene(bench.board, paused);
      expect(await take(one)).toEqual({ outcome: "taken" });
      const [taken] = await readMail(bench.board);
      if (taken !== undefined) await bench.board.answerMail(taken, undefined);
      await bench.board.sendMail(coder, { id: "before", text: "" });
      await pause(true);
      await bench.board.sendMail(coder, { id: one, text: "started" });
      const places = (await readMail(bench.board))
        .filter(({ id }) => id === one)
        .map(({ place }) => place);
      expect(places).toHaveLength(1);
      expect(await accept(one, places[0])).toEqual(refusal);
      // A further pause is another one: what was said in the first was said before it.
      await pause(false);
      await pause(true);
      expect(await accept(one, places[0])).toEqual({ outcome: "accepted" });
    });

    test(`an agent without mail when the pause of the ${paused} began has begun nothing before it`, async () => {
      await using bench = await open();
      const { accept, pause } = await scene(bench.board, paused);
      await pause(true);
      await bench.board.sendMail(coder, { id: one, text: "started" });
      const [started] = await readMail(bench.board);
      expect(await accept(one, started?.place)).toEqual(refusal);
    });
  }

  test("a grant that one run has taken can be taken by another once its message is gone, and the grant still queued", async () => {
    await using bench = await open();
    const { take, accept } = await scene(bench.board);
    await take(one);
    expect(await take(other)).toMatchObject({ outcome: "refused" });
    const stop = new AbortController();
    for await (const [mail] of bench.board.followMail(stop.signal, () => false)) {
      if (mail !== undefined) await bench.board.answerMail(mail, "refused");
      stop.abort();
    }
    expect(await take(other)).toEqual({ outcome: "taken" });
    expect(await mailOf(bench.board)).toEqual([`${other} started`]);
    expect(await accept(other)).toEqual({ outcome: "accepted" });
  });

  test("an agent's grant can be read, also where a person has damaged the claim", async () => {
    await using bench = await open();
    const { claim, goal } = await scene(bench.board);
    await bench.hand.breakClaim(claim.id);
    expect(await bench.board.readGrant(claim.id, coder)).toMatchObject({
      claim: { id: claim.id, artefact_id: goal.id, goal_id: goal.goal_id, kind: "standard" },
      grant: { agent: coder, state: "queued", attempt: 1 },
    });
    expect(await bench.board.readGrant(claim.id, agentName("tester"))).toBeUndefined();
    expect(await bench.board.readGrant(newClaimId(), coder)).toBeUndefined();
  });

  test("a new leader keeps what was paused closed to those who would take it", async () => {
    await using bench = await open();
    const { epoch, take } = await scene(bench.board);
    await bench.board.setPaused({ paused: true, by: user, at, epoch });
    await acquireLeaderLease(bench.board);
    expect(await take(one)).toMatchObject({
      outcome: "refused",
      reason: "The instance is paused.",
    });
  });

  test("the next attempt can be taken, whatever became of the one before", async () => {
    await using bench = await open();
    const { claim, epoch, take } = await scene(bench.board);
    expect(await take(one)).toEqual({ outcome: "taken" });
    const again = { ...running("coder", 2), state: "queued" as const };
    const { started_at: _, context_ids: __, ...queued } = again;
    const readOn = bench.board.connectionNumber();
    expect(
      await bench.board.commitClaim(commitOf(claim.id, epoch, 1, { grants: [queued], readOn })),
    ).toMatchObject({
      outcome: "committed",
    });
    expect(await take(one)).toMatchObject({ outcome: "refused" });
    expect(await take(other, { attempt: 2 })).toEqual({ outcome: "taken" });
    expect(await mailOf(bench.board)).toEqual([`${one} started`, `${other} started`]);
  });
}
