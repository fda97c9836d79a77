import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { artefactGraph, foreignSources } from "../../../../lib/core/artefact-graph.ts";
import type { Artefact } from "../../../../lib/model/artefact.ts";
import { derived, nextVersion } from "../../../support/records/lineage.ts";
import { newArtefactId, newLogicalId, sampleClaim } from "../../../support/records/sample.ts";

function graphOf(
  artefacts: readonly Artefact[],
  more: Partial<Parameters<typeof artefactGraph>[0]> = {},
) {
  const [goal] = artefacts;
  if (goal === undefined) throw new Error("A graph begins with its goal.");
  return artefactGraph({ goal: goal.goal_id, artefacts, outside: [], claims: [], ...more });
}

describe("the graph of a goal", () => {
  const goal = derived([]);
  const plan = derived([goal]);
  const code = derived([plan, goal]);

  test("has a node for each artefact, in their order, and an edge from each source to what was made of it", () => {
    const { nodes, edges } = graphOf([goal, plan, code]);
    expect(nodes.map(({ id }) => id)).toEqual([goal.id, plan.id, code.id]);
    expect(edges).toEqual([
      { from: goal.id, to: plan.id, kind: "derivative" },
      { from: plan.id, to: code.id, kind: "derivative" },
      { from: goal.id, to: code.id, kind: "derivative" },
    ]);
  });

  test("distinguishes the next version from what else derives from a source, also from the reviews that asked for it", () => {
    const review = derived([code], { structural_type: "Review", type: "Review" });
    const { edges } = graphOf([goal, plan, code, review, nextVersion(code, [review])]);
    expect(edges.slice(-2).map(({ from, kind }) => ({ from, kind }))).toEqual([
      { from: code.id, kind: "evolutionary" },
      { from: review.id, kind: "derivative" },
    ]);
  });

  test("joins versions that do not cite each other, each to the nearest before it", () => {
    const third = { ...nextVersion(nextVersion(code)), source_artefacts: [goal.id] };
    const second = { ...nextVersion(code), source_artefacts: [] };
    const edgesTo = (all: Artefact[]) => graphOf(all).edges.filter(({ to }) => to === third.id);
    expect(edgesTo([goal, plan, code, second, third])).toEqual([
      { from: second.id, to: third.id, kind: "evolutionary" },
      { from: goal.id, to: third.id, kind: "derivative" },
    ]);
    expect(edgesTo([goal, plan, code, third])[0]).toEqual({
      from: code.id,
      to: third.id,
      kind: "evolutionary",
    });
  });

  test("shows what is cited from elsewhere once, as of another goal or as missing", () => {
    const other = derived([]);
    const gone = newArtefactId();
    const citing = [
      derived([other, goal]),
      derived([goal], { source_artefacts: [gone, other.id] }),
    ];
    expect(foreignSources([goal, ...citing])).toEqual([other.id, gone]);
    const { nodes, edges } = graphOf([goal, ...citing], { outside: [other] });
    expect(nodes.slice(3)).toEqual([
      { kind: "outside", ...other },
      { kind: "missing", id: gone },
    ]);
    expect(edges).toHaveLength(4);
  });

  test("has every claim on the artefact that it is about, and on no other", () => {
    const decided = [
      sampleClaim(code, ["coder"]),
      sampleClaim(code, [], { kind: "rework", status: "complete" }),
    ];
    const claims = [...decided, sampleClaim(goal, [])].map((claim) => ({ claim, grants: [] }));
    const { nodes } = graphOf([goal, plan, code], { claims });
    const kinds = nodes.map((node) =>
      node.kind === "artefact" ? node.claims.map(({ kind }) => kind) : undefined,
    );
    expect(kinds).toEqual([["standard"], [], ["standard", "rework"]]);
  });
});

test("whatever cites whatever: every edge has both its nodes, none is there twice, and only edges within a thread are evolutionary", () => {
  const ids = Array.from({ length: 8 }, newArtefactId);
  const threads = [newLogicalId(), newLogicalId()];
  const artefact = fc.record({
    logical_id: fc.constantFrom(...threads),
    version: fc.integer({ min: 1, max: 4 }),
    source_artefacts: fc.array(fc.constantFrom(...ids), { maxLength: 5 }),
  });
  fc.assert(
    fc.property(fc.array(artefact, { minLength: 1, maxLength: 6 }), (drafts) => {
      const artefacts = drafts.map((draft, index) =>
        derived([], { id: ids[index] ?? newArtefactId(), ...draft }),
      );
      const { nodes, edges } = graphOf(artefacts);
      const known = new Set(nodes.map(({ id }) => id));
      const threadOf = new Map(artefacts.map(({ id, logical_id }) => [id, logical_id]));
      expect(known.size).toBe(nodes.length);
      expect(new Set(edges.map(({ from, to }) => `${from} ${to}`)).size).toBe(edges.length);
      for (const { from, to, kind } of edges) {
        expect(known.has(from) && known.has(to)).toBe(true);
        expect(kind === "evolutionary").toBe(threadOf.get(from) === threadOf.get(to));
      }
    }),
  );
});
