import { expect, test } from "bun:test";
import {
  type ArtefactFields,
  fieldsOfArtefact,
} from "../../../../lib/blackboard/records/artefact-fields.ts";
import type { Artefact } from "../../../../lib/model/artefact.ts";
import { LogicalId } from "../../../../lib/model/ids.ts";
import type { Bench } from "../../../support/blackboard/bench.ts";
import {
  acquireLeaderLease,
  byHand,
  events,
  postGoal,
  user,
} from "../../../support/blackboard/scene.ts";
import {
  newArtefactId,
  newGoalId,
  newLogicalId,
  sampleAgent,
  sampleArtefact,
} from "../../../support/records/sample.ts";

export function refusedAdoptionSuite(open: () => Promise<Bench>): void {
  const flaws: [string, Partial<ArtefactFields>][] = [
    ["`source_artefacts` must be a JSON array of artefacts' ids", { source_artefacts: "[oops" }],
    [
      "`source_artefacts` must be a JSON array of artefacts' ids",
      { source_artefacts: '["no-id"]' },
    ],
    ["`source_artefacts` names", { source_artefacts: JSON.stringify([newArtefactId()]) }],
    ["`structural_type` must be one of Standard, Review", { structural_type: "Gossip" }],
    ["`version` must be a whole number from 1", { version: "0" }],
    ["`version` must be a whole number from 1", { version: "1.5" }],
    ["`logical_id` must be a UUID", { logical_id: "thread" }],
    ["`type` must be text of 1 to 200 characters", { type: "x".repeat(201) }],
    ["`claim_id` must be the id of a claim, or empty", { claim_id: "mine" }],
    ["`goal_id` must be the id of a goal", { goal_id: "mine" }],
    ["`metadata` must be a JSON object", { metadata: "{" }],
    ["`metadata` must be a JSON object", { metadata: "[]" }],
    ["`summary` in `metadata` must be text", { metadata: '{"summary":1}' }],
    ["`commit` in `metadata` must be the full name of a commit", { metadata: '{"commit":"HEAD"}' }],
    ["`created_at` must be a time in UTC such as", { created_at: "yesterday" }],
    ["There is no goal", { goal_id: newGoalId() }],
    ["`id` must be the id that its key ends with", { id: newArtefactId() }],
  ];
  for (const [reason, flaw] of flaws) {
    test(`one with ${JSON.stringify(flaw).slice(0, 60)} is refused once, and adopted when it is corrected`, async () => {
      await using bench = await open();
      const epoch = await acquireLeaderLease(bench.board);
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

  test("one that does not come next in its thread is refused, or waited for where versions before it may come yet", async () => {
    await using bench = await open();
    const epoch = await acquireLeaderLease(bench.board);
    const goal = await postGoal(bench.board);
    const other = await postGoal(bench.board);
    const write = async (over: Partial<Artefact>, options = {}) => {
      const artefact = sampleArtefact({
        logical_id: goal.logical_id,
        source_artefacts: [goal.id],
        version: 2,
        ...over,
      });
      await bench.hand.writeArtefact(artefact.id, byHand(artefact));
      return {
        id: artefact.id,
        answer: await bench.board.adoptArtefact(artefact.id, epoch, options),
      };
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
    ];
    for (const [over, reason] of refusals)
      expect((await write(over)).answer).toEqual({
        outcome: "refused",
        reason: expect.stringMatching(reason),
      });
    const gaps: [Partial<Artefact>, RegExp][] = [
      [{ version: 3 }, /next version of thread .* is 2, not 3/],
      [{ logical_id: newLogicalId() }, /there is no thread/],
    ];
    for (const [over, reason] of gaps) {
      expect((await write(over)).answer).toEqual({ outcome: "incomplete" });
      const { answer } = await write(over, { isOverdue: true });
      expect(answer).toEqual({ outcome: "refused", reason: expect.stringMatching(reason) });
    }
    expect(await bench.board.readThread(goal.logical_id)).toEqual([goal.id]);

    const third = await write({ version: 3 });
    const second = await write({});
    expect([third.answer, second.answer]).toEqual([
      { outcome: "incomplete" },
      { outcome: "adopted" },
    ]);
    expect(await bench.board.adoptArtefact(third.id, epoch)).toEqual({ outcome: "adopted" });
    expect((await write({})).answer).toMatchObject({
      outcome: "refused",
      reason: expect.stringContaining("is 4, not 2"),
    });
    expect(await bench.board.readThread(goal.logical_id)).toEqual([goal.id, second.id, third.id]);
  });

  test("one says truly who made it: agents' names and roles stand on what those agents make", async () => {
    await using bench = await open();
    const epoch = await acquireLeaderLease(bench.board);
    const goal = await postGoal(bench.board);
    const agents = [
      sampleAgent("coder", { role: "writer" }),
      sampleAgent("monitor", { external: true }),
    ];
    await bench.board.registerAgents(agents, user, { exact: true });
    const write = async (produced_by_agent: string, produced_by_role: string) => {
      const artefact = sampleArtefact({
        type: "Note",
        source_artefacts: [goal.id],
        produced_by_role,
      });
      await bench.hand.writeArtefact(artefact.id, { ...byHand(artefact), produced_by_agent });
      const answer = await bench.board.adoptArtefact(artefact.id, epoch);
      return answer.outcome === "refused" ? answer.reason : answer.outcome;
    };
    expect(await write("monitor", "writer")).toBe(
      "produced_by_role: is monitor where monitor made it, not writer",
    );
    expect(await write("coder", "writer")).toBe(
      "claim_id: is missing: what coder makes is the result of a grant",
    );
    const nameMissing =
      "produced_by_agent: is none of the role writer: name the agent, or write another role";
    expect(await write("", "writer")).toBe(nameMissing);
    expect(await write("ghost", "writer")).toBe(nameMissing);
    const orchestrators =
      "produced_by_role: orchestrator is only for what the orchestrator itself posts: write another role";
    expect(await write("", "orchestrator")).toBe(orchestrators);
    for (const [agent, role] of [
      ["monitor", "monitor"],
      ["", "user"],
      ["ghost", "gone"],
    ] as const)
      expect(await write(agent, role)).toBe("adopted");
  });
}
