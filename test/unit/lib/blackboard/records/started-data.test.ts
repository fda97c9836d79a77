import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { maxNamedInputs, startedData } from "../../../../../lib/blackboard/records/started-data.ts";
import { CommitHash } from "../../../../../lib/model/ids.ts";
import { newArtefactId } from "../../../../support/records/sample.ts";

const grant = { phase: "exclusive", attempt: 1 } as const;
const ids = Array.from({ length: maxNamedInputs + 2 }, newArtefactId);

test("a start without inputs names none, and one with a commit and some names all", () => {
  expect(startedData({ ...grant, context_ids: [] })).toEqual(grant);
  const base_commit = CommitHash.parse("a".repeat(40));
  expect(startedData({ ...grant, context_ids: ids.slice(0, 2), base_commit })).toEqual({
    ...grant,
    inputs: `${ids[0]} ${ids[1]}`,
    base_commit,
  });
  const all = startedData({ ...grant, context_ids: ids.slice(0, maxNamedInputs) });
  expect(all).toEqual({ ...grant, inputs: ids.slice(0, maxNamedInputs).join(" ") });
});

test("of more inputs than an event has room for, the digest is that of the whole list", () => {
  expect(startedData({ ...grant, context_ids: ids })).toEqual({
    ...grant,
    inputs: ids.slice(0, maxNamedInputs).join(" "),
    inputs_left_out: 2,
    inputs_sha256: createHash("sha256").update(ids.join(" ")).digest("hex"),
  });
});
