import { expect, test } from "bun:test";
import { AgentName, CommitHash } from "../../../../lib/model/ids.ts";
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
}
