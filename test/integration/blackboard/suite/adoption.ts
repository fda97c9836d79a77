// An artefact that the instance's owner has written and published is adopted, or refused with the
// reason.
import { expect, test } from "bun:test";
import type { ArtefactFields } from "../../../../lib/blackboard/records/artefact-field-names.ts";
import { fieldsOfArtefact } from "../../../../lib/blackboard/records/artefact-fields.ts";
import { digestOfRecord } from "../../../../lib/blackboard/records/artefact-record.ts";
import type { Artefact } from "../../../../lib/model/artefact.ts";
import { LogicalId } from "../../../../lib/model/ids.ts";
import type { Bench } from "../../../support/blackboard/bench.ts";
import {
  acquireLeaderLease,
  byHand,
  commitOf,
  done,
  events,
  postGoal,
  requiredFields,
  resultOf,
  runGrant,
  user,
} from "../../../support/blackboard/scene.ts";
import {
  newArtefactId,
  newClaimId,
  newGoalId,
  newLogicalId,
  sampleAgent,
  sampleArtefact,
} from "../../../support/records/sample.ts";

/** Whatever is wrong with the whole artefact, and what is said of it. */
const flaws: [string, Partial<ArtefactFields>][] = [
  ["`source_artefacts` must be a JSON array of artefacts' ids", { source_artefacts: "[oops" }],
  ["`source_artefacts` must be a JSON array of artefacts' ids", { source_artefacts: '["no-id"]' }],
  ["`source_artefacts` names", { source_artefacts: JSON.stringify([newArtefactId()]) }],
  ["`structural_type` must be one of Standard, Review", { structural_type: "Gossip" }],
  ["structural_type: is no Review", { structural_type: "Review" }],
  ["`version` must be a whole number from 1", { version: "0" }],
  ["`version` must be a whole number from 1", { version: "1.5" }],
  ["`logical_id` must be a UUID", { logical_id: "thread" }],
  ["`type` must be text of 1 to 200 characters", { type: "x".repeat(201) }],
  ["`claim_id` must be the id of a claim, or empty", { claim_id: "mine" }],
  ["claim_id, produced_by_agent: must be empty", { claim_id: newClaimId() }],
  ["claim_id, produced_by_agent: must be empty", { produced_by_agent: "coder" }],
  ["`goal_id` must be the id of a goal", { goal_id: "mine" }],
  ["`metadata` must be a JSON object", { metadata: "{" }],
  ["`metadata` must be a JSON object", { metadata: "[]" }],
  ["`summary` in `metadata` must be text", { metadata: '{"summary":1}' }],
  ["`commit` in `metadata` must be the full name of a commit", { metadata: '{"commit":"HEAD"}' }],
  ["`created_at` must be a time in UTC such as", { created_at: "yesterday" }],
  ["There is no goal", { goal_id: newGoalId() }],
  ["`id` must be the id that its key ends with", { id: newArtefactId() }],
];

export function adoptionSuite(open: () => Promise<Bench>): void {
  test("an artefact as redis-cli writes it is adopted: completed, indexed and logged as the hand's", async () => {
    await using bench = await open();
    const epoch = await acquireLeaderLease(bench.board);
    const goal = await postGoal(bench.board);
    const artefact = sampleArtefact({ type: "Note", source_artefacts: [goal.id], payload: "a\nb" });
    await bench.hand.writeArtefact(artefact.id, byHand(artefact));
    expect(await bench.board.readArtefact(artefact.id)).toBeUndefined();

    expect(await bench.board.adoptArtefact(artefact.id, epoch)).toEqual({ outcome: "adopted" });
    expect(await bench.board.adoptArtefact(artefact.id, epoch)).toEqual({ outcome: "known" });
    expect(await bench.board.readArtefact(artefact.id)).toEqual({
      ...artefact,
      goal_id: goal.goal_id,
      created_at: expect.any(String),
    });
    expect(await bench.board.readThread(artefact.logical_id)).toEqual([artefact.id]);
    expect(await bench.board.listArtefactsOfGoal(goal.goal_id)).toEqual([goal.id, artefact.id]);
    const [, event] = await events(bench.board, "artefact_created");
    const record = Buffer.from((await bench.board.readRecord(artefact.id)) ?? "", "base64");
    expect(event?.data?.sha256).toBe(digestOfRecord(record));
    expect(event).toMatchObject({ actor: "hand", artefact_id: artefact.id, goal_id: goal.goal_id });
  });

  test("an artefact without sources begins a goal of its own", async () => {
    await using bench = await open();
    const epoch = await acquireLeaderLease(bench.board);
    const artefact = sampleArtefact();
    expect(await bench.board.adoptArtefact(artefact.id, epoch)).toEqual({ outcome: "absent" });
    await bench.hand.writeArtefact(artefact.id, byHand(artefact));
    expect(await bench.board.adoptArtefact(artefact.id, epoch)).toEqual({ outcome: "adopted" });
    expect(await bench.board.listGoals()).toEqual([artefact.goal_id]);
  });

  test("one that a field is missing from is refused with its name, and adopted when it is whole", async () => {
    await using bench = await open();
    const epoch = await acquireLeaderLease(bench.board);
    const artefact = sampleArtefact();
    const fields = byHand(artefact);
    for (const name of requiredFields) {
      const { [name]: _, ...others } = fields;
      await bench.hand.removeArtefact(artefact.id);
      await bench.hand.writeArtefact(artefact.id, others);
      expect(await bench.board.adoptArtefact(artefact.id, epoch)).toEqual({
        outcome: "refused",
        reason: `\`${name}\` is missing`,
      });
    }
    await bench.hand.writeArtefact(artefact.id, fields);
    expect(await bench.board.adoptArtefact(artefact.id, epoch)).toEqual({ outcome: "adopted" });
  });

  for (const [reason, flaw] of flaws) {
    test(`one with ${JSON.stringify(flaw).slice(0, 60)} is refused, and adopted when it is corrected`, async () => {
      await using bench = await open();
      const epoch = await acquireLeaderLease(bench.board);
      const artefact = sampleArtefact();
      await bench.hand.writeArtefact(artefact.id, { ...fieldsOfArtefact(artefact), ...flaw });
      expect(await bench.board.adoptArtefact(artefact.id, epoch)).toEqual({
        outcome: "refused",
        reason: expect.stringContaining(reason),
      });
      expect(await events(bench.board, "artefact_refused")).toMatchObject([
        {
          actor: "hand",
          artefact_id: artefact.id,
          data: { reason: expect.stringContaining(reason) },
        },
      ]);
      expect(await events(bench.board, "artefact_created")).toEqual([]);

      await bench.hand.writeArtefact(artefact.id, fieldsOfArtefact(artefact));
      expect(await bench.board.adoptArtefact(artefact.id, epoch)).toEqual({ outcome: "adopted" });
    });
  }

  test("one whose goal was ended is refused", async () => {
    await using bench = await open();
    const epoch = await acquireLeaderLease(bench.board);
    const goal = await postGoal(bench.board);
    await bench.board.endGoal({ goal: goal.goal_id, ending: "cancelled", epoch });
    const late = sampleArtefact({ source_artefacts: [goal.id] });
    await bench.hand.writeArtefact(late.id, byHand(late));
    expect(await bench.board.adoptArtefact(late.id, epoch)).toMatchObject({
      outcome: "refused",
      reason: expect.stringMatching(/was ended/),
    });
  });

  test("one whose source is not on record is refused, and adopted after its source", async () => {
    await using bench = await open();
    const epoch = await acquireLeaderLease(bench.board);
    const first = sampleArtefact();
    const second = sampleArtefact({ source_artefacts: [first.id] });
    for (const one of [first, second]) await bench.hand.writeArtefact(one.id, byHand(one));
    expect(await bench.board.adoptArtefact(second.id, epoch)).toEqual({
      outcome: "refused",
      reason: `\`source_artefacts\` names ${first.id}, which is not on record`,
    });
    await bench.board.adoptArtefact(first.id, epoch);
    expect(await bench.board.adoptArtefact(second.id, epoch)).toEqual({ outcome: "adopted" });
    expect(await bench.board.readArtefact(second.id)).toMatchObject({ goal_id: first.goal_id });
  });

  test("one that does not come next in its thread is refused", async () => {
    await using bench = await open();
    const epoch = await acquireLeaderLease(bench.board);
    const goal = await postGoal(bench.board);
    const other = await postGoal(bench.board);
    const write = async (over: Partial<Artefact>) => {
      const next = { logical_id: goal.logical_id, source_artefacts: [goal.id], version: 2 };
      const artefact = sampleArtefact({ ...next, ...over });
      await bench.hand.writeArtefact(artefact.id, byHand(artefact));
      return { id: artefact.id, answer: await bench.board.adoptArtefact(artefact.id, epoch) };
    };
    const own = newArtefactId();
    const begins = { id: own, logical_id: LogicalId.parse(own) };
    const refusals: [Partial<Artefact>, RegExp][] = [
      [
        { version: 1, logical_id: newLogicalId() },
        /^logical_id: is the artefact's own id in version 1/,
      ],
      [{ version: 1 }, /^logical_id: is the artefact's own id in version 1/],
      [{ version: 7, ...begins }, /^version: is 1 where a thread begins/],
      [{ type: "Draft" }, /of the Standard type GoalDefined, and keeps it/],
      [{ structural_type: "Terminal" }, /of the Standard type GoalDefined, and keeps it/],
      [{ source_artefacts: [other.id] }, new RegExp(`is of goal ${goal.goal_id}`)],
      [{ version: 3 }, /next version of thread .* is 2, not 3/],
      [{ logical_id: newLogicalId() }, /there is no thread/],
    ];
    for (const [over, reason] of refusals)
      expect((await write(over)).answer).toEqual({
        outcome: "refused",
        reason: expect.stringMatching(reason),
      });
    expect(await bench.board.readThread(goal.logical_id)).toEqual([goal.id]);
    const second = await write({});
    expect(second.answer).toEqual({ outcome: "adopted" });
    expect((await write({})).answer).toMatchObject({
      outcome: "refused",
      reason: expect.stringContaining("is 3, not 2"),
    });
    expect(await bench.board.readThread(goal.logical_id)).toEqual([goal.id, second.id]);
  });

  test("no one carries the role of an agent, or of the orchestrator", async () => {
    await using bench = await open();
    const epoch = await acquireLeaderLease(bench.board);
    const goal = await postGoal(bench.board);
    const agents = [sampleAgent("coder", { role: "writer" })];
    await bench.board.registerAgents(agents, user, { exact: true });
    const write = async (produced_by_role: string) => {
      const over = { type: "Note", source_artefacts: [goal.id], produced_by_role };
      const artefact = sampleArtefact(over);
      await bench.hand.writeArtefact(artefact.id, byHand(artefact));
      const answer = await bench.board.adoptArtefact(artefact.id, epoch);
      return answer.outcome === "refused" ? answer.reason : answer.outcome;
    };
    expect(await write("writer")).toBe(
      "produced_by_role: writer is the role of an agent: write another role",
    );
    expect(await write("orchestrator")).toContain("is only for what the orchestrator itself posts");
    for (const role of ["user", "coder"]) expect(await write(role)).toBe("adopted");
  });

  test("one written over another is refused, whatever it says, and the old one is known again when put back", async () => {
    await using bench = await open();
    const epoch = await acquireLeaderLease(bench.board);
    const goal = await postGoal(bench.board);
    const other = sampleArtefact({ type: "Other" });
    const changes: Partial<ArtefactFields>[] = [
      { payload: "HELLO" },
      { payload: "" },
      { ...byHand(other), id: goal.id },
      { goal_id: newGoalId(), logical_id: newLogicalId(), version: "7" },
      { structural_type: "Gossip", source_artefacts: "[oops" },
    ];
    for (const change of changes) {
      await bench.hand.writeArtefact(goal.id, { ...fieldsOfArtefact(goal), ...change });
      expect(await bench.board.adoptArtefact(goal.id, epoch)).toEqual({
        outcome: "refused",
        reason: expect.stringContaining(`${goal.id} is taken`),
      });
    }
    await bench.hand.removeArtefact(goal.id);
    expect(await bench.board.adoptArtefact(goal.id, epoch)).toMatchObject({ outcome: "refused" });
    expect(await events(bench.board, "artefact_refused")).toHaveLength(changes.length + 1);
    await bench.hand.writeArtefact(goal.id, fieldsOfArtefact(goal));
    expect(await bench.board.adoptArtefact(goal.id, epoch)).toEqual({ outcome: "known" });
    expect(await bench.board.listArtefactsOfGoal(goal.goal_id)).toEqual([goal.id]);
    expect(await events(bench.board, "artefact_created")).toHaveLength(1);
  });

  test("what every way of storing writes is known for what it is", async () => {
    await using bench = await open();
    const { epoch, goal, claim } = await runGrant(bench.board);
    const result = resultOf(goal, claim, { payload: "grün\0", metadata: { summary: "é" } });
    await bench.board.finishGrant(done(claim.id, result));
    const failure = resultOf(goal, claim, { structural_type: "Failure" });
    const rev = (await bench.board.readClaim(claim.id))?.claim.rev ?? 0;
    await bench.board.commitClaim(commitOf(claim.id, epoch, rev, { artefacts: [failure] }));
    const last = resultOf(goal, claim, { structural_type: "Failure" });
    await bench.board.endGoal({
      goal: goal.goal_id,
      ending: "artefact_limit",
      failure: last,
      epoch,
    });
    const all = await bench.board.listArtefactsOfGoal(goal.goal_id);
    expect(all).toEqual([goal.id, result.id, failure.id, last.id]);
    for (const id of all)
      expect(await bench.board.adoptArtefact(id, epoch)).toEqual({ outcome: "known" });
  });

  test("an orchestrator of an older epoch adopts nothing", async () => {
    await using bench = await open();
    const epoch = await acquireLeaderLease(bench.board);
    const artefact = sampleArtefact();
    await bench.hand.writeArtefact(artefact.id, byHand(artefact));
    await acquireLeaderLease(bench.board);
    expect(await bench.board.adoptArtefact(artefact.id, epoch)).toEqual({ outcome: "fenced" });
  });
}
