import { expect, test } from "bun:test";
import { type ArtefactFields, fieldsOfArtefact } from "../../../lib/blackboard/artefact-fields.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import { newArtefactId, newGoalId, newLogicalId, sampleArtefact } from "../../support/sample.ts";
import type { Bench } from "../bench.ts";
import { events, postGoal, takeSeat } from "./scene.ts";

const required = [
  "id",
  "logical_id",
  "version",
  "structural_type",
  "type",
  "payload",
  "source_artefacts",
  "produced_by_role",
] as const;

/** What a person would write: the required fields alone. */
function byHand(artefact: Artefact): Partial<ArtefactFields> {
  const fields = fieldsOfArtefact(artefact);
  return Object.fromEntries(required.map((name) => [name, fields[name]]));
}

export function adoptionSuite(open: () => Promise<Bench>): void {
  test("an artefact written with its required fields is completed, indexed and logged as the hand's", async () => {
    await using bench = await open();
    const epoch = await takeSeat(bench.board);
    const goal = await postGoal(bench.board);
    const artefact = sampleArtefact({ logical_id: newLogicalId(), type: "Note", source_artefacts: [goal.id], payload: "a\nb" });
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
    const epoch = await takeSeat(bench.board);
    const artefact = sampleArtefact();
    await bench.hand.writeArtefact(artefact.id, byHand(artefact));
    expect(await bench.board.adoptArtefact(artefact.id, epoch)).toEqual({ outcome: "adopted" });
    expect(await bench.board.listGoals()).toEqual([artefact.goal_id]);
  });

  test("one that a field is missing from is waited for", async () => {
    await using bench = await open();
    const epoch = await takeSeat(bench.board);
    const artefact = sampleArtefact();
    const fields = byHand(artefact);
    for (const name of required) {
      expect(await bench.board.adoptArtefact(artefact.id, epoch)).toEqual({ outcome: "incomplete" });
      await bench.hand.writeArtefact(artefact.id, { [name]: fields[name] });
    }
    expect(await bench.board.adoptArtefact(artefact.id, epoch)).toEqual({ outcome: "adopted" });
  });

  const flaws: [string, Partial<ArtefactFields>][] = [
    ["source_artefacts is not JSON", { source_artefacts: "[oops" }],
    ["source_artefacts", { source_artefacts: '["no-id"]' }],
    ["there is no artefact", { source_artefacts: JSON.stringify([newArtefactId()]) }],
    ["structural_type is none of Standard", { structural_type: "Gossip" }],
    ["version is not a whole number", { version: "0" }],
    ["version is not a whole number", { version: "1.5" }],
    ["logical_id", { logical_id: "thread" }],
    ["metadata is not JSON", { metadata: "{" }],
    ["created_at", { created_at: "yesterday" }],
    ["There is no goal", { goal_id: newGoalId() }],
    ["id: is not the id in its key", { id: newArtefactId() }],
  ];
  for (const [reason, flaw] of flaws) {
    test(`one with ${JSON.stringify(flaw).slice(0, 60)} is refused once, and gets its chance when it is put right`, async () => {
      await using bench = await open();
      const epoch = await takeSeat(bench.board);
      const artefact = sampleArtefact();
      await bench.hand.writeArtefact(artefact.id, { ...fieldsOfArtefact(artefact), ...flaw });
      const refusal = { outcome: "refused" as const, reason: expect.stringContaining(reason) };
      expect(await bench.board.findUnindexedArtefacts()).toEqual([artefact.id]);
      expect(await bench.board.adoptArtefact(artefact.id, epoch)).toEqual(refusal);
      expect(await bench.board.adoptArtefact(artefact.id, epoch)).toEqual(refusal);
      expect(await bench.board.findUnindexedArtefacts()).toEqual([]);
      const [event, ...more] = await events(bench.board, "artefact_refused");
      expect(event).toMatchObject({
        actor: "hand",
        artefact_id: artefact.id,
        data: refusal.reason && { reason: refusal.reason },
      });
      expect(more).toEqual([]);
      expect(await events(bench.board, "artefact_created")).toEqual([]);

      await bench.hand.writeArtefact(artefact.id, fieldsOfArtefact(artefact));
      expect(await bench.board.findUnindexedArtefacts()).toEqual([artefact.id]);
      expect(await bench.board.adoptArtefact(artefact.id, epoch)).toEqual({ outcome: "adopted" });
    });
  }

  test("one whose version is taken in its thread, or whose goal was ended, is refused", async () => {
    await using bench = await open();
    const epoch = await takeSeat(bench.board);
    const goal = await postGoal(bench.board);
    const twin = sampleArtefact({ logical_id: goal.logical_id, source_artefacts: [goal.id] });
    await bench.hand.writeArtefact(twin.id, byHand(twin));
    expect(await bench.board.adoptArtefact(twin.id, epoch)).toMatchObject({
      outcome: "refused",
      reason: expect.stringMatching(/is taken by/),
    });
    expect(await bench.board.readThread(goal.logical_id)).toEqual([goal.id]);

    await bench.board.endGoal({ goal: goal.goal_id, ending: "cancelled", epoch });
    const late = sampleArtefact({ source_artefacts: [goal.id] });
    await bench.hand.writeArtefact(late.id, byHand(late));
    expect(await bench.board.adoptArtefact(late.id, epoch)).toMatchObject({
      outcome: "refused",
      reason: expect.stringMatching(/was ended/),
    });
  });

  test("one whose source was written by hand too waits until that is taken in", async () => {
    await using bench = await open();
    const epoch = await takeSeat(bench.board);
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
    const epoch = await takeSeat(bench.board);
    const artefact = sampleArtefact();
    await bench.hand.writeArtefact(artefact.id, byHand(artefact));
    await takeSeat(bench.board);
    expect(await bench.board.adoptArtefact(artefact.id, epoch)).toEqual({ outcome: "fenced" });
  });
}
