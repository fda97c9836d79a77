import { expect, test } from "bun:test";
import { findGrant } from "../../../../../apps/cli/examine/find-grant.ts";
import type { PersonBlackboard } from "../../../../../lib/blackboard/port/holders.ts";
import type { Artefact } from "../../../../../lib/model/artefact.ts";
import type { Grant } from "../../../../../lib/model/claim.ts";
import { ArtefactId } from "../../../../../lib/model/ids.ts";
import { derived } from "../../../../support/records/lineage.ts";
import { agentName, sampleClaim } from "../../../../support/records/sample.ts";

const goal = derived([]);
const claim = sampleClaim(goal, ["coder", "tester"]);
const made = derived([goal], { claim_id: claim.id, produced_by_agent: "coder" });
/** A list of one piece, and what is based on a list without being a piece of it. */
const byCoder = { claim_id: claim.id, produced_by_agent: "coder" };
const pieceId = ArtefactId.parse("99999999-0000-4000-8000-000000000000");
const pieces = [{ key: "one", id: pieceId }];
const list = derived([goal], { ...byCoder, metadata: { summary: "Two", pieces } });
const piece = derived([list], { ...byCoder, id: pieceId });
const other = derived([list], byCoder);
const at = "2026-11-28T20:00:00.000Z";
const base = { phase: "parallel", attempt: 1, queued_at: at } as const;
const done: Grant = {
  ...{ ...base, agent: agentName("coder"), state: "done", started_at: at, ended_at: at },
  ...{ context_ids: [], artefact_ids: [made.id] },
};
const queued: Grant = { ...base, agent: agentName("tester"), state: "queued" };

function find(grants: readonly Grant[], grant: string, agent?: string, open = true) {
  const artefacts: Artefact[] = [goal, made, list, piece, other];
  const board = {
    listOpenClaims: async () => (open ? [claim.id] : []),
    readClaim: async (id: string) => (id === claim.id ? { claim, grants } : undefined),
    findArtefacts: async (start: string) =>
      artefacts.flatMap(({ id }) => (id.startsWith(start) ? [id] : [])),
    readArtefact: async (wanted: string) => artefacts.find(({ id }) => id === wanted),
    findOverwritten: async () => [],
  } as unknown as PersonBlackboard;
  return findGrant(board, { grant, agent }, (line) => `sett ${line}`);
}

test("a grant is found by its result, and by its claim", async () => {
  for (const text of [made.id, made.id.slice(0, 8)])
    expect(await find([done, queued], text)).toMatchObject({ grant: done, result: made });
  expect(await find([done], claim.id.slice(0, 8))).toMatchObject({ grant: done, result: made });
  expect(await find([done], claim.id, undefined, false)).toMatchObject({ grant: done });
  expect(await find([done, queued], claim.id, "coder")).toMatchObject({ grant: done });
});

test("the result of a piece is its list, which the command has made as a whole", async () => {
  const grants: Grant[] = [{ ...done, artefact_ids: [list.id] }];
  expect((await find(grants, piece.id)).result?.id).toBe(list.id);
  expect((await find(grants, list.id)).result?.id).toBe(list.id);
  expect((await find(grants, other.id)).result?.id).toBe(other.id);
});

test("a claim with several grants needs the name of an agent, which has one", async () => {
  await expect(find([done, queued], claim.id)).rejects.toMatchObject({
    code: "usage",
    message: expect.stringContaining("coder, tester"),
  });
  await expect(find([done], claim.id, "tester")).rejects.toMatchObject({ code: "usage" });
  await expect(find([done], made.id, "tester")).rejects.toMatchObject({ code: "usage" });
});

test("work that has not begun has no inputs, and a goal is no work", async () => {
  await expect(find([queued], claim.id)).rejects.toMatchObject({
    message: "The work of tester has no inputs on record: it has not begun.",
  });
  await expect(find([done], goal.id)).rejects.toMatchObject({
    message: expect.stringContaining("is not what an agent's grant has led to"),
  });
});
