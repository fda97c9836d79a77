// The worker of a lane, as the cub starts it: in a working copy, with the tool contract on stdin.
import { expect, test } from "bun:test";
import { join } from "node:path";
import { goalType } from "../../../lib/model/artefact.ts";
import type { CommitHash } from "../../../lib/model/ids.ts";
import {
  commitFiles,
  git,
  hostEnv,
  sampleRepository,
} from "../../support/git/sample-repository.ts";
import { nightly } from "../../support/nightly.ts";
import { sampleArtefact } from "../../support/records/sample.ts";
import { root } from "../../support/root.ts";

type LandOptions = {
  method?: "merge" | "squash";
  gates?: string[][];
  tip?: CommitHash;
  type?: string;
};

/** A goal at the first commit, and a result on it. */
function scene() {
  const repository = sampleRepository();
  const { path, base } = repository;
  const onBase = (files: Record<string, string>) => {
    git(path, "checkout", "--quiet", "--detach", base);
    return commitFiles(path, files);
  };
  const land = async (
    result: CommitHash,
    { method = "merge", gates = [], tip, type = "CodeCommit" }: LandOptions = {},
  ) => {
    const goal = sampleArtefact({ type: goalType, metadata: { commit: base } });
    const target_artefact = sampleArtefact({
      ...{ type, payload: result, goal_id: goal.goal_id },
      metadata: { commit: result, summary: "Add words" },
    });
    const input = {
      ...{ claim_type: "exclusive", claim_id: crypto.randomUUID(), target_artefact },
      ...{ context_chain: [goal], additional_context: [] },
    };
    const worker = Bun.spawn([process.execPath, join(root, "apps/cub/main.ts"), "--lane"], {
      cwd: path,
      env: {
        ...hostEnv,
        SETT_LANE: JSON.stringify({ name: "main", method, gates }),
        SETT_LANE_TIP: tip ?? "",
      } as Record<string, string>,
      stdin: new Blob([JSON.stringify(input)]),
      stdout: "pipe",
      stderr: "pipe",
    });
    const [out, err] = await Promise.all([
      new Response(worker.stdout).text(),
      new Response(worker.stderr).text(),
    ]);
    return { code: await worker.exited, err, answer: out === "" ? undefined : JSON.parse(out) };
  };
  return { path, base, onBase, land, [Symbol.dispose]: () => repository[Symbol.dispose]() };
}

test("a squash has the tip alone as its parent, and the message names the goal", async () => {
  using at = scene();
  const [tip, result] = [at.onBase({ left: "" }), at.onBase({ right: "" })];
  const { answer } = await at.land(result, { method: "squash", tip });
  expect(answer).toMatchObject({
    ...{ structural_type: "Terminal", artefact_type: "Landed" },
    metadata: { lane: "main", onto: tip, merged: result },
  });
  const commit = answer.artefact_payload;
  expect(git(at.path, "show", "--no-patch", "--format=%P%n%s", commit)).toBe(`${tip}\nAdd words`);
  expect(git(at.path, "ls-tree", "--name-only", commit)).toMatch(/left\nright/);
}, 120_000);

test("a commit that the lane has lands without a merge", async () => {
  using at = scene();
  const result = at.onBase({ left: "" });
  const { answer } = await at.land(result, { tip: commitFiles(at.path, { more: "" }) });
  expect(answer.artefact_payload).toBe(answer.metadata.onto);
}, 120_000);

test("a red gate is feedback with the end of what it has printed, at the merge", async () => {
  using at = scene();
  const result = at.onBase({ left: "" });
  const gates = [["true"], ["sh", "-c", "printf 'see \\033[31mit' >&2; ls; exit 4"], ["false"]];
  const { answer } = await at.land(result, { gates });
  expect(answer).toMatchObject({ structural_type: "Review", payload: { exit_code: 4 } });
  expect(answer.payload).toMatchObject({ stderr: "see  [31mit" });
  expect(answer.payload.stdout).toContain("left");
  expect(git(at.path, "rev-parse", "HEAD^2")).toBe(result);
}, 120_000);

nightly(
  "a gate that prints much is green, and one that is stopped is not, whatever its exit code",
  async () => {
    using at = scene();
    const result = at.onBase({ left: "" });
    const prints = (mebibytes: number) => `head -c ${mebibytes * 1024 * 1024} /dev/zero`;
    const green = await at.land(result, { gates: [["sh", "-c", prints(4)]] });
    expect(green.answer).toMatchObject({ artefact_type: "Landed" });
    const stopped = `trap 'exit 0' TERM; ${prints(33)} & wait; sleep 60`;
    const red = await at.land(result, { gates: [["sh", "-c", stopped]] });
    expect(red.answer).toMatchObject({
      ...{ structural_type: "Review" },
      payload: { exit_code: null, ended: expect.stringContaining("more than 32 MiB to stdout") },
    });
    const killed = await at.land(result, { gates: [["sh", "-c", "kill -9 $$"]] });
    expect(killed.answer.payload).toMatchObject({ ended: "It was ended by SIGKILL." });
  },
  120_000,
);

test("a goal does not land", async () => {
  using at = scene();
  const { err, answer } = await at.land(at.base, { type: goalType });
  expect([answer, err]).toEqual([undefined, expect.stringContaining("is no result with a commit")]);
}, 120_000);

test("a gate that is not there fails the work, and sends nothing back", async () => {
  using at = scene();
  const { code, err, answer } = await at.land(at.onBase({ left: "" }), { gates: [["/no/gate"]] });
  expect([code === 0, answer]).toEqual([false, undefined]);
  expect(err).toContain("`/no/gate` does not start");
}, 120_000);
