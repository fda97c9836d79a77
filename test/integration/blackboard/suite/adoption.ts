import { expect, test } from "bun:test";
import {
  type ArtefactFields,
  fieldsOfArtefact,
} from "../../../../lib/blackboard/records/artefact-fields.ts";
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
} from "../../../support/blackboard/scene.ts";
import { newGoalId, newLogicalId, sampleArtefact } from "../../../support/records/sample.ts";

export function adoptionSuite(open: () => Promise<Bench>): void {
  test("an artefact written with its requiredFields fields is completed, indexed and logged as the hand's", async () => {
    await using bench = await open();
    const epoch = await acquireLeaderLease(bench.board);
    const goal = await postGoal(bench.board);
    const artefact = sampleArtefact({ type: "Note", source_artefacts: [goal.id], payload: "a\nb" });
    await bench.hand.writeArtefact(artefact.id, byHand(artefact));
    expect(await bench.board.readArtefact(artefact.id)).toBeUndefined();
    expect(await bench.board.findUnindexedArtefacts()).toEqual([artefact.id]);

    expect(await bench.board.adoptArtefact(artefact.id, epoch)).toEqual({ outcome: "adopted" });
    expect(await bench.board.adoptArtefact(artefact.id, epoch)).toEqual({ outcome: "known" });
    expect(await bench.board.readArtefact(artefact.id)).toEqual({
      ...artefact,
      goal_id: goal.goal_id,
      created_at: expect.any(String),
    });
    expect(await bench.board.readThread(artefact.logical_id)).toEqual([artefact.id]);
    expect(await bench.board.listArtefactsOfGoal(goal.goal_id)).toEqual([goal.id, artefact.id]);
    expect(await bench.board.findUnindexedArtefacts()).toEqual([]);
    const [, event] = await events(bench.board, "artefact_created");
    expect(event).toMatchObject({ actor: "hand", artefact_id: artefact.id, goal_id: goal.goal_id });
  });

  test("an artefact without sources begins a goal of its own", async () => {
    await using bench = await open();
    const epoch = await acquireLeaderLease(bench.board);
    const artefact = sampleArtefact();
    await bench.hand.writeArtefact(artefact.id, byHand(artefact));
    expect(await bench.board.adoptArtefact(artefact.id, epoch)).toEqual({ outcome: "adopted" });
    expect(await bench.board.listGoals()).toEqual([artefact.goal_id]);
  });

  test("one that a field is missing from is waited for", async () => {
    await using bench = await open();
    const epoch = await acquireLeaderLease(bench.board);
    const artefact = sampleArtefact();
    const fields = byHand(artefact);
    for (const name of requiredFields) {
      expect(await bench.board.adoptArtefact(artefact.id, epoch)).toEqual({
        outcome: "incomplete",
      });
      await bench.hand.writeArtefact(artefact.id, { [name]: fields[name] });
    }
    expect(await bench.board.adoptArtefact(artefact.id, epoch)).toEqual({ outcome: "adopted" });
  });

  test("what is missing when it is overdue is reported, once for each state of it, and may still come", async () => {
    await using bench = await open();
    const epoch = await acquireLeaderLease(bench.board);
    const [source, artefact] = [sampleArtefact(), sampleArtefact()];
    const {
      type: _type,
      payload: _payload,
      ...most
    } = byHand({ ...artefact, source_artefacts: [source.id] });
    const adopt = () => bench.board.adoptArtefact(artefact.id, epoch, { isOverdue: true });
    const { type: _sourceType, ...lessOfSource } = byHand(source);
    await bench.hand.writeArtefact(source.id, lessOfSource);
    await bench.hand.writeArtefact(artefact.id, most);
    const lacksFields = { outcome: "refused", reason: "`type` and `payload` are missing" } as const;
    expect([await adopt(), await adopt()]).toEqual([lacksFields, lacksFields]);
    await bench.hand.writeArtefact(artefact.id, { type: "Report", payload: "" });
    const reason = `\`source_artefacts\` names ${source.id}, which was written by hand as well and is not adopted`;
    expect([await adopt(), await adopt()]).toEqual([
      { outcome: "refused", reason },
      { outcome: "refused", reason },
    ]);
    expect((await events(bench.board, "artefact_refused")).map(({ data }) => data?.reason)).toEqual(
      [lacksFields.reason, reason],
    );
    await bench.hand.writeArtefact(source.id, { type: "GoalDefined" });
    expect(await bench.board.adoptArtefact(source.id, epoch)).toEqual({ outcome: "adopted" });
    expect(await adopt()).toEqual({ outcome: "adopted" });
  });

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

  test("one written over another is refused once for each content, whatever it says, and the old one is known again when put back", async () => {
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
      for (let twice = 0; twice < 2; twice++) {
        expect(await bench.board.adoptArtefact(goal.id, epoch)).toEqual({
          outcome: "refused",
          reason: expect.stringContaining(`${goal.id} is taken`),
        });
      }
      expect(await bench.board.findUnindexedArtefacts()).toEqual([]);
    }
    expect(await events(bench.board, "artefact_refused")).toHaveLength(changes.length);
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

  test("one whose source was written by hand too waits until that is taken in", async () => {
    await using bench = await open();
    const epoch = await acquireLeaderLease(bench.board);
    const first = sampleArtefact();
    const second = sampleArtefact({ source_artefacts: [first.id] });
    await bench.hand.writeArtefact(first.id, byHand(first));
    await bench.hand.writeArtefact(second.id, byHand(second));
    expect(await bench.board.adoptArtefact(second.id, epoch)).toEqual({ outcome: "incomplete" });
    await bench.board.adoptArtefact(first.id, epoch);
    expect(await bench.board.adoptArtefact(second.id, epoch)).toEqual({ outcome: "adopted" });
    expect(await bench.board.readArtefact(second.id)).toMatchObject({ goal_id: first.goal_id });
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
