// An agent reads what its work needs, and takes the grant in the same step where it can.
import { expect, test } from "bun:test";
import { begunParts, begunText } from "../../../../lib/blackboard/mail/begun-message.ts";
import type { Blackboard } from "../../../../lib/blackboard/port/blackboard.ts";
import type { Artefact } from "../../../../lib/model/artefact.ts";
import type { ArtefactId } from "../../../../lib/model/ids.ts";
import type { Bench } from "../../../support/blackboard/bench.ts";
import {
  at,
  commitOf,
  done,
  events,
  openStandard,
  queueGrant,
  resultOf,
  running,
  user,
} from "../../../support/blackboard/scene.ts";
import {
  agentName,
  newClaimId,
  sampleAgent,
  sampleArtefact,
  sampleClaim,
} from "../../../support/records/sample.ts";

const coder = agentName("coder");
const [one, other] = [
  "00000000-0000-4000-8000-000000000001",
  "00000000-0000-4000-8000-000000000002",
];
const hash = "0123456789abcdef0123456789abcdef01234567";

/** Begins the coder's work on its queued grant. */
async function scene(board: Blackboard) {
  await board.registerAgents([sampleAgent("coder")], user, { exact: true });
  const queued = await queueGrant(board);
  const parts = (run: string) =>
    begunParts(queued.claim.id, {
      host: "desk",
      isQuiet: true,
      run: { started_at: at, run_id: run },
    });
  const begin = (run: string, over: object = {}, mayTake = true) =>
    board.beginWork({
      claim: queued.claim.id,
      agent: coder,
      run,
      message: { id: run, mayTake, ...parts(run) },
      ...over,
    });
  const accept = (run: string) =>
    board.acceptGrant({
      claim: queued.claim.id,
      grant: { ...running("coder"), run_id: run },
      leaseMs: 60_000,
    });
  return { ...queued, parts, begin, accept };
}

/** The ids and texts in the coder's mail. */
async function mailOf(board: Blackboard): Promise<[string, string][]> {
  await board.sendMail(coder, { id: "last", text: "" });
  const stop = new AbortController();
  const seen: [string, string][] = [];
  for await (const mails of board.followMail(stop.signal, () => false)) {
    seen.push(...mails.map(({ id, text }): [string, string] => [id, text]));
    if (seen.some(([id]) => id === "last")) stop.abort();
  }
  return seen.filter(([id]) => id !== "last");
}

export function beginningSuite(open: () => Promise<Bench>): void {
  test("one call reads the work and takes its grant, and says so once in the agent's mail", async () => {
    await using bench = await open();
    const { claim, goal, parts, begin, accept } = await scene(bench.board);
    const work = {
      claim: {
        id: claim.id,
        artefact_id: goal.id,
        goal_id: goal.goal_id,
        kind: "standard",
        additional_context_ids: [],
      },
      grant: { agent: coder, state: "queued", attempt: 1 },
      ...{ earlier: [], contextIds: [] },
      inputs: { ok: true, value: { target: goal, chain: [], additional: [] } },
    };
    expect(await begin(one)).toMatchObject({ outcome: "taken", ...work });
    expect(await begin(one)).toMatchObject({ outcome: "taken", ...work });
    expect(await begin(other)).toEqual({
      outcome: "refused",
      reason: "Another run has taken the grant.",
    });
    const text = begunText(parts(one), { attempt: 1, queued_at: at, context_ids: [] });
    expect(await mailOf(bench.board)).toEqual([[one, text]]);
    expect(JSON.parse(text)).toEqual({
      ...{ host: "desk", quiet: true },
      message: {
        ...{ say: "started", claim: claim.id, attempt: 1, queued_at: at },
        run: { started_at: at, run_id: one, context_ids: [] },
      },
    });
    expect(await accept(one)).toEqual({ outcome: "accepted" });
    expect((await events(bench.board, "grant_started"))[0]?.data).toEqual({
      phase: "exclusive",
      attempt: 1,
      rev: 2,
    });
    expect(await begin(one)).toMatchObject({ outcome: "taken", grant: { state: "running" } });
    expect(await begin(other)).toEqual({ outcome: "none" });
  });

  test("results of earlier phases and what the target came from are its context, and the message names them", async () => {
    await using bench = await open();
    const { board } = bench;
    await board.registerAgents([sampleAgent("tester"), sampleAgent("coder")], user, {
      exact: true,
    });
    const { epoch, goal } = await queueGrant(board);
    const draft = sampleArtefact({
      type: "Draft",
      goal_id: goal.goal_id,
      source_artefacts: [goal.id],
    });
    await board.createArtefact(draft, user);
    const claim = sampleClaim(draft, ["tester", "coder"]);
    await openStandard(board, claim, epoch);
    const readOn = board.connectionNumber();
    const commit = (rev: number, over: object) =>
      board.commitClaim(commitOf(claim.id, epoch, rev, { readOn, ...over }));
    const tester = { ...running("tester"), phase: "parallel" as const };
    const { started_at: _, context_ids: __, ...waiting } = { ...tester, state: "queued" as const };
    const set = { status: "pending_parallel", bidding: "closed" } as const;
    await commit(0, { set, grants: [waiting] });
    await board.acceptGrant({ claim: claim.id, grant: tester, leaseMs: 60_000 });
    const about = { produced_by_agent: "tester", produced_by_role: "tester" };
    const report: Artefact = resultOf(draft, claim, about);
    await board.finishGrant(done(claim.id, report, tester));
    const queued = {
      agent: coder,
      phase: "exclusive" as const,
      attempt: 1,
      queued_at: at,
      state: "queued" as const,
    };
    await commit(3, { set: { status: "pending_exclusive" }, grants: [queued] });
    const parts = begunParts(claim.id, {
      host: undefined,
      isQuiet: true,
      run: { started_at: at, run_id: one },
    });
    const begun = await board.beginWork({
      claim: claim.id,
      agent: coder,
      run: one,
      message: { id: one, mayTake: true, ...parts },
    });
    const contextIds: ArtefactId[] = [goal.id, report.id];
    expect(begun).toMatchObject({ outcome: "taken", earlier: [report.id], contextIds });
    const inputs = "inputs" in begun && begun.inputs.ok ? begun.inputs.value : undefined;
    expect(inputs?.additional).toEqual([report]);
    expect(inputs?.chain.map(({ id }) => id)).toEqual(expect.arrayContaining(contextIds));
    const [[, text = ""] = []] = await mailOf(board);
    expect(JSON.parse(text)).toMatchObject({
      quiet: true,
      message: { run: { context_ids: contextIds } },
    });
  });

  test("it is only read where a commit has to be chosen, or where the agent does not ask to take it", async () => {
    await using bench = await open();
    const { claim, begin, goal } = await scene(bench.board);
    expect(await begin(one, {}, false)).toMatchObject({ outcome: "read", claim: { id: claim.id } });
    await bench.hand.writeArtefact(goal.id, { metadata: JSON.stringify({ commit: hash }) });
    expect(await begin(one)).toMatchObject({ outcome: "read", inputs: { ok: true } });
    expect(await mailOf(bench.board)).toEqual([]);
  });

  test("what is large or damaged is to be read apart, and a damaged field is named", async () => {
    await using bench = await open();
    const { begin, goal } = await scene(bench.board);
    expect(await begin(one, { maxBytes: 2 })).toEqual({ outcome: "apart" });
    await bench.hand.writeArtefact(goal.id, { metadata: "nothing" });
    expect(await begin(one, {}, false)).toMatchObject({
      inputs: { ok: false, reason: expect.stringContaining("malformed") },
    });
  });

  test("there is no work without a queued grant, none in an ended goal, and none during a pause", async () => {
    await using bench = await open();
    const { begin, epoch, goal } = await scene(bench.board);
    expect(await begin(one, { claim: newClaimId() })).toEqual({ outcome: "none" });
    expect(await begin(one, { agent: agentName("tester") })).toEqual({ outcome: "none" });
    await bench.board.setPaused({ paused: true, by: user, at, epoch });
    expect(await begin(one)).toEqual({ outcome: "refused", reason: "The instance is paused." });
    await bench.board.setPaused({ paused: false, by: user, at, epoch });
    await bench.board.endGoal({ goal: goal.goal_id, ending: "cancelled", epoch });
    expect(await begin(one)).toMatchObject({
      outcome: "refused",
      reason: expect.stringMatching(/Goal .* was ended/),
    });
  });
}
