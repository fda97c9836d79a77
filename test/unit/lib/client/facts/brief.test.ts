// Bounds how much is read of what others say, for a person who judges.
import { expect, test } from "bun:test";
import { briefOf } from "../../../../../lib/client/facts/brief.ts";
import { artefactGraph } from "../../../../../lib/core/artefact-graph.ts";
import { Grant } from "../../../../../lib/model/claim.ts";
import { AgentName, InstanceName } from "../../../../../lib/model/ids.ts";
import { blackboardInMemory } from "../../../../support/blackboard/in-memory.ts";
import { derived } from "../../../../support/records/lineage.ts";
import { sampleAgent, sampleClaim } from "../../../../support/records/sample.ts";

test("long feedback of many is read in part, and the rest is shown by its summary", async () => {
  const goal = derived([], { type: "GoalDefined", payload: "Paint the door" });
  const change = derived([goal], { type: "CodeCommit" });
  const reviews = Array.from({ length: 24 }, (_, index) =>
    derived([change], {
      ...{ structural_type: "Review", type: "Review", payload: "No ".padEnd(1024 ** 2, "x") },
      metadata: { summary: `feedback ${index}` },
    }),
  );
  const grants = reviews.map((review, index) =>
    Grant.parse({
      ...{ agent: `reviewer-${index}`, phase: "review", attempt: 1, state: "done", rejects: true },
      ...{ artefact_ids: [review.id], context_ids: [], run_id: crypto.randomUUID() },
      ...{ queued_at: review.created_at, started_at: review.created_at },
      ended_at: review.created_at,
    }),
  );
  const claim = sampleClaim(change, ["x"], { status: "terminated", bidding: "closed" });
  await using board = await blackboardInMemory({ instance: InstanceName.parse("demo") }).open();
  for (const one of [goal, change, ...reviews]) await board.createArtefact(one, "person:Ada");
  let characters = 0;
  const counting: Pick<typeof board, "readHeads" | "readArtefacts" | "listAgents"> = {
    readHeads: (ids) => board.readHeads(ids),
    listAgents: () => board.listAgents(),
    async readArtefacts(ids) {
      const read = await board.readArtefacts(ids);
      for (const { payload } of read) characters += payload.length;
      return read;
    },
  };
  const artefacts = [goal, change, ...reviews];
  const claims = [{ claim, grants }];
  const graph = artefactGraph({ goal: goal.goal_id, artefacts, outside: [], claims });
  const brief = await briefOf(counting, graph, { artefact: change, person: undefined });
  expect(characters).toBeLessThan(16 * 1024 ** 2);
  expect(brief.goal?.text).toBe("Paint the door");
  const words = brief.reviews.map((one) => one.words);
  expect(words).toHaveLength(24);
  expect(words.filter((text) => text.startsWith("No x")).length).toBeGreaterThan(5);
  expect(words.filter((text) => text.startsWith("feedback ")).length).toBeGreaterThan(5);
});

test("who waits to be asked is a person where its agent is one", async () => {
  const goal = derived([], { type: "GoalDefined", payload: "Paint the door" });
  const change = derived([goal], { type: "CodeCommit" });
  const agents = [
    sampleAgent("lint"),
    sampleAgent("tester"),
    sampleAgent("owner", { human: true }),
  ];
  const open = Grant.parse({
    ...{ agent: "lint", phase: "review", attempt: 1, state: "queued" },
    queued_at: change.created_at,
  });
  const claim = sampleClaim(change, ["lint", "tester", "owner"], {
    bidding: "closed",
    reviews_after: [agents[1], agents[2]].flatMap((agent) =>
      agent === undefined ? [] : [{ agent: agent.name, after: [AgentName.parse("lint")] }],
    ),
  });
  const artefacts = [goal, change];
  const claims = [{ claim, grants: [open] }];
  const graph = artefactGraph({ goal: goal.goal_id, artefacts, outside: [], claims });
  const board: Parameters<typeof briefOf>[0] = {
    readHeads: async () => [],
    readArtefacts: async () => artefacts,
    listAgents: async () => agents,
  };
  const { reviews } = await briefOf(board, graph, { artefact: change, person: undefined });
  expect(
    reviews.map(({ agent, outcome, is_person }) => [String(agent), outcome, is_person]),
  ).toEqual([
    ["lint", "open", false],
    ["tester", "waits", false],
    ["owner", "waits", true],
  ]);
});
