import { expect, test } from "bun:test";
import { type ArtefactNode, withPoster } from "../../../../../apps/page/data/goal-graph.ts";
import { makerOf } from "../../../../../apps/page/graph/matching.ts";

test("a goal's own artefact is by the person who has posted it, and no other one is", () => {
  const made = (id: string) => ({ id, produced_by_agent: "", produced_by_role: "user" });
  const nodes = ["goal", "answer"].map((id) => ({
    ...made(id),
    metadata: { summary: id },
  })) as unknown as ArtefactNode[];
  const graph = { nodes, outside: [], byId: new Map(nodes.map((node) => [node.id, node])) };
  const named = withPoster(graph, "goal", "ada@example.org");
  expect(named.nodes.map(makerOf)).toEqual(["ada@example.org", "user"]);
  expect(named.byId.get("goal")).toBe(named.nodes[0]);
  expect(named.nodes[0]?.metadata.summary).toBe("goal");
  expect(withPoster(graph, "another", "ada@example.org")).toEqual(graph);
});
