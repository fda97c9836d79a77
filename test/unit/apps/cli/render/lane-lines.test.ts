import { expect, test } from "bun:test";
import { laneLines } from "../../../../../apps/cli/render/lane-lines.ts";
import { sampleAgent, sampleArtefact, sampleClaim } from "../../../../support/records/sample.ts";

const merge = sampleAgent("merge", { lane: "main" });
const nowMs = Date.parse("2026-01-01T00:01:00.000Z");
const at = (second: number) => new Date(Date.parse("2026-01-01") + second * 1000).toISOString();

function queued(second: number) {
  const claim = sampleClaim(sampleArtefact(), [merge.name]);
  const grant = {
    agent: merge.name,
    phase: "exclusive",
    attempt: 1,
    queued_at: at(second),
  } as const;
  return { claim, grants: [{ ...grant, state: "queued" as const }] };
}

test("a line for each lane says what is merged now, and who is next in the order of their grants", () => {
  const [second, first] = [queued(9), queued(5)];
  const running = queued(1);
  const [grant] = running.grants;
  if (grant === undefined) throw new Error("no grant");
  const tried = {
    ...running,
    grants: [{ ...grant, state: "running" as const, started_at: at(55), context_ids: [] }],
  };
  const [a, b, c] = [tried, first, second].map(({ claim }) => claim.goal_id.slice(0, 8));
  const agents = [merge, sampleAgent("coder")];
  expect(laneLines({ agents, open: [second, first, tried], nowMs })).toEqual([
    `lane main (merge): merges goal ${a}, begun 5s ago; next: ${b}, ${c}`,
  ]);
  expect(laneLines({ agents, open: [], nowMs })).toEqual(["lane main (merge): merges nothing"]);
});
