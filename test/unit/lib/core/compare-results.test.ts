import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { comparableResult, differencesOf } from "../../../../lib/core/compare-results.ts";
import type { Artefact } from "../../../../lib/model/artefact.ts";
import { sampleArtefact } from "../../../support/records/sample.ts";

const digestOf = (text: string) => createHash("sha256").update(text).digest("hex");
const [one, other] = ["1".repeat(40), "2".repeat(40)];

function comparable(over: Partial<Artefact>, tree?: string) {
  const result = sampleArtefact({ type: "Report", ...over });
  return comparableResult(result, { tree }, digestOf);
}

function commitOf(hash: string, summary: string, tree: string) {
  const metadata = { commit: hash as never, summary, changed_paths: [hash] };
  return comparable({ type: "CodeCommit", payload: hash, metadata }, tree);
}

const whatDiffers = (...sides: Parameters<typeof differencesOf>) =>
  differencesOf(...sides).map(({ what }) => what);

test("results are the same whatever their ids and times are", () => {
  const metadata = { summary: "Done", b: 1, a: { d: 2, c: 3 } };
  const again = { summary: "Done", a: { c: 3, d: 2 }, b: 1 };
  expect(differencesOf(comparable({ metadata }), comparable({ metadata: again }))).toEqual([]);
});

test("each thing that an agent decides counts", () => {
  const result = comparable({ payload: "red", metadata: { summary: "Red", colour: "red" } });
  const { payload, summary } = result;
  expect(whatDiffers(result, { ...result, structural_type: "Review" })).toEqual([
    "structural type",
  ]);
  expect(whatDiffers(result, { ...result, type: "Other" })).toEqual(["type"]);
  expect(
    differencesOf(result, comparable({ payload: "blue", metadata: { summary: "Blue" } })),
  ).toEqual([
    { what: "summary", recorded: summary.text, now: "Blue" },
    { what: "payload", recorded: payload.text, now: "blue" },
    { what: "metadata", recorded: '{\n  "colour": "red"\n}', now: "{}" },
  ]);
});

test("commits are the same if their files are, whatever their hashes are", () => {
  const result = commitOf(one, `Made ${one}`, "t");
  expect(differencesOf(result, commitOf(other, `Made ${other}`, "t"))).toEqual([]);
  expect(whatDiffers(result, commitOf(other, `Made ${other}`, "u"))).toEqual([
    "files of the commit",
  ]);
});

test("a command fails in the same way if it ends alike, whatever it has printed and how long it took", () => {
  const failure = (over: object) =>
    comparable({
      structural_type: "Failure",
      type: "ToolExecutionFailure",
      payload: JSON.stringify({
        ...{ reason: "make: error", exit_code: 2, signal: null, timed_out: false },
        ...{ duration_ms: 12, stdout: "at 20:00", stderr: "", ...over },
      }),
    });
  expect(differencesOf(failure({}), failure({ duration_ms: 99, stdout: "at 21:00" }))).toEqual([]);
  expect(whatDiffers(failure({}), failure({ exit_code: 1 }))).toEqual(["payload"]);
  expect(whatDiffers(failure({}), failure({ reason: "make: other" }))).toEqual(["payload"]);
});

test("a long text is compared by its digest, and not shown", () => {
  const [long, longer] = ["a".repeat(70_000), "a".repeat(70_001)];
  const result = comparable({ payload: long });
  expect(differencesOf(result, comparable({ payload: long }))).toEqual([]);
  expect(differencesOf(result, comparable({ payload: longer }))).toEqual([
    { what: "payload", recorded: undefined, now: undefined },
  ]);
});

test("pieces are compared by their keys", () => {
  const list = sampleArtefact({ type: "Plan" });
  const withPieces = (pieces: { key: string; payload: string }[]) =>
    comparableResult(
      list,
      { pieces: pieces.map((piece) => ({ ...piece, type: "Part", metadata: {} })) },
      digestOf,
    );
  const [a, b] = [
    { key: "a", payload: "1" },
    { key: "b", payload: "2" },
  ];
  expect(differencesOf(withPieces([a, b]), withPieces([a, b]))).toEqual([]);
  expect(whatDiffers(withPieces([a, b]), withPieces([a]))).toEqual(["pieces"]);
  expect(whatDiffers(withPieces([a, b]), withPieces([a, { ...b, payload: "3" }]))).toEqual([
    "payload of piece b",
  ]);
});
