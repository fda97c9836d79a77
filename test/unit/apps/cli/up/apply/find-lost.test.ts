// Shows what `sett up` says that an instance has lost, on the blackboard that ships.
import { expect, test } from "bun:test";
import type { RuntimeName } from "../../../../../../apps/cli/instance/runtimes.ts";
import { findLost, type KnownBefore } from "../../../../../../apps/cli/up/apply/find-lost.ts";
import { sayLost } from "../../../../../../apps/cli/up/apply/report.ts";
import type { Blackboard } from "../../../../../../lib/blackboard/port/blackboard.ts";
import { InstanceName } from "../../../../../../lib/model/ids.ts";
import { blackboardInMemory } from "../../../../../support/blackboard/in-memory.ts";
import { done, resultOf, runGrant } from "../../../../../support/blackboard/scene.ts";
import { fakeShell } from "../../../../../support/cli/fake-shell.ts";
import { sampleArtefact } from "../../../../../support/records/sample.ts";

const demo = InstanceName.parse("demo");
const known: KnownBefore = {
  isKnown: true,
  noted: undefined,
  refs: async () => [],
  hasRecord: true,
  keptIn: undefined,
  transcriptsKeptMs: undefined,
};
const open = () => blackboardInMemory({ instance: demo }).open();

async function said(
  board: Blackboard,
  over: Partial<KnownBefore>,
  parts = ["redis", "orchestrator", "gateway", "recorder"],
  kind: RuntimeName = "docker",
): Promise<string> {
  const shell = fakeShell();
  sayLost({ instance: demo, kind }, await findLost(board, { ...known, ...over }, parts), shell);
  return shell.written.err;
}

test("an empty blackboard of a known instance is said to be new, with what git still has and the way to a back-up", async () => {
  await using board = await open();
  const refs = async () => [{ id: crypto.randomUUID(), subject: "Paint the door" }];
  const err = await said(board, { refs });
  expect(err).toContain("The blackboard of demo is new, and empty: the one before is gone.");
  expect(err).toContain("(Paint the door)");
  expect(err).toContain("docs/operations.md#restore");
  expect(err).toContain("Another Docker Engine may have it");
  const inCluster = await said(board, { refs }, [], "kubernetes");
  expect(inCluster).toContain("Another cluster may have it: then name that one");
  expect(inCluster).not.toContain("Docker");
  // The repository's configuration may be gone, while its refs are there.
  expect(await said(board, { refs, isKnown: false })).toContain("is new, and empty");
  expect(await said(board, { noted: { logged: 7, end: "7-0" }, isKnown: false })).toContain(
    "Git knows no goal or result of it.",
  );
  expect(await said(board, { isKnown: false })).toBe("");
  await board.createArtefact(sampleArtefact(), "person:Ada");
  expect(await said(board, { refs })).toBe("");
});

test("a blackboard that sett.yml named before is said to be kept, with its place, and no back-up is named", async () => {
  await using board = await open();
  const keptIn = "rediss://redis.example.org:6380";
  const err = await said(board, { keptIn });
  expect(err).toContain(`The one before is kept in ${keptIn}: with \`services.redis\` as it was`);
  expect(err).not.toContain("gone");
  expect(err).not.toContain("docs/operations.md#restore");
  await board.createArtefact(sampleArtefact(), "person:Ada");
  expect(await said(board, { keptIn })).toBe("");
});

test("a record whose volume is gone is named where the blackboard knows of an output that was on it", async () => {
  await using board = await open();
  const { claim, goal } = await runGrant(board);
  const gone = { hasRecord: false };
  expect(await said(board, gone)).toBe("");
  const { result, ...order } = done(claim.id, resultOf(goal, claim));
  const output = { stderr: { digest: "d".repeat(64), bytes: 12 } };
  await board.finishGrant({ ...order, result: { ...result, output } });
  const err = await said(board, gone);
  expect(err).toContain("What commands of demo have printed before is gone: ");
  expect(err).toContain("docs/operations.md#restore");
  expect(await said(board, {})).toBe("");
  // With `limits: { output: 0 }` nothing is kept.
  expect(await said(board, gone, ["redis", "orchestrator", "gateway"])).toBe("");
});
