import { expect, test } from "bun:test";
import { AgentName, CommitHash } from "../../../../lib/model/ids.ts";
import { LaneName, landedType } from "../../../../lib/model/lane.ts";
import type { Bench } from "../../../support/blackboard/bench.ts";
import { done, resultOf, runGrant, user } from "../../../support/blackboard/scene.ts";
import { sampleArtefact } from "../../../support/records/sample.ts";

export function resultsSuite(open: () => Promise<Bench>): void {
  test("the commit of an agent's result is listed", async () => {
    await using bench = await open();
    const { claim, goal } = await runGrant(bench.board);
    const commit = CommitHash.parse("c".repeat(40));
    const artefact = resultOf(goal, claim, { metadata: { commit } });
    expect(await bench.board.finishGrant(done(claim.id, artefact))).toEqual({
      outcome: "finished",
    });
    expect(await bench.board.listCommits()).toEqual([
      { artefact: artefact.id, commit, agent: AgentName.parse("coder") },
    ]);
  });

  test("a lane moves from its own tip alone, and a result from another one is to be made again", async () => {
    await using bench = await open();
    const { board } = bench;
    const lane = LaneName.parse("main");
    const [first, second, stray] = ["a", "b", "c"].map((one) => CommitHash.parse(one.repeat(40)));
    const land = async (onto: string, commit: CommitHash | undefined) => {
      const { claim, goal } = await runGrant(board);
      const metadata = { lane, onto, commit };
      const artefact = resultOf(goal, claim, {
        ...{ structural_type: "Terminal", type: landedType, metadata },
      });
      return { artefact, ...(await board.finishGrant(done(claim.id, artefact))) };
    };
    expect(await board.readLane(lane)).toBeUndefined();
    expect((await land("", first)).outcome).toBe("finished");
    expect((await land(`${first}`, second)).outcome).toBe("finished");
    const refused = await land(`${first}`, stray);
    expect(refused).toMatchObject({ outcome: "refused", reason: expect.stringContaining("moved") });
    expect(await board.readArtefact(refused.artefact.id)).toBeUndefined();
    expect(await board.readLane(lane)).toBe(second);
    expect(await board.listLanes()).toEqual([{ lane, commit: second }] as never);
    const events = await board.readEvents("0", 100);
    // The orchestrator has it made again.
    expect(events.find(({ type }) => type === "result_refused")?.data?.source).toBeString();
  });

  test("an agent's answer counts as a person's does, and the question is open no longer", async () => {
    await using bench = await open();
    const { claim, goal, epoch } = await runGrant(bench.board);
    const question = sampleArtefact({
      structural_type: "Question",
      type: "Question",
      goal_id: goal.goal_id,
    });
    await bench.board.createArtefact(question, user);
    expect(await bench.board.askPeople({ question: question.id, epoch })).toEqual({
      outcome: "asked",
    });
    const answer = resultOf(goal, claim, {
      structural_type: "Answer",
      type: "Answer",
      source_artefacts: [question.id],
    });
    expect(await bench.board.finishGrant(done(claim.id, answer))).toEqual({ outcome: "finished" });
    expect(await bench.board.answersOf([question.id])).toEqual([answer.id]);
    expect(await bench.board.listOpenQuestions()).toEqual([]);
  });

  test("what a command has printed is named beside its artefact, and by the event of its end", async () => {
    await using bench = await open();
    const { claim, goal } = await runGrant(bench.board);
    const artefact = resultOf(goal, claim);
    const stderr = { digest: "d".repeat(64), bytes: 12, left_out: 2 };
    const order = done(claim.id, artefact);
    const result = { ...order.result, output: { stderr } };
    expect(await bench.board.finishGrant({ ...order, result })).toEqual({ outcome: "finished" });
    expect(await bench.board.readOutput(artefact.id)).toEqual({ stderr });
    expect(await bench.board.readOutput(goal.id)).toBeUndefined();
    expect(await bench.board.readArtefact(artefact.id)).toEqual(artefact);
    const ended = (await bench.board.readEvents("0", 100)).find(
      ({ type }) => type === "grant_done",
    );
    expect(ended?.data).toMatchObject({
      stderr: "d".repeat(64),
      stderr_bytes: 12,
      stderr_left_out: 2,
    });
  });
}
