import { describe, expect, test } from "bun:test";
import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Secrets } from "../../../../../apps/cub/secrets/secrets.ts";
import { WorkExecutor } from "../../../../../apps/cub/work/work-executor.ts";
import type { AgentBlackboard } from "../../../../../lib/blackboard/port/holders.ts";
import { CommitHash } from "../../../../../lib/model/ids.ts";
import { cubScene } from "../../../../support/cub/scene.ts";
import { derived } from "../../../../support/records/lineage.ts";
import { sampleArtefact } from "../../../../support/records/sample.ts";
import { waitFor } from "../../../../support/wait-for.ts";

describe("the work executor", () => {
  test("runs the tool on the target and posts its result", async () => {
    await using scene = await cubScene();
    const { standIn, agent } = scene;
    scene.start();
    const goal = await standIn.post();
    const claim = await standIn.openGranted(goal, agent);
    const { state, artefact, grant } = await standIn.ended(claim, agent);
    expect(state).toBe("done");
    expect(artefact).toMatchObject({
      structural_type: "Standard",
      type: "Report",
      payload: "done",
      version: 1,
      source_artefacts: [goal.id],
      produced_by_agent: agent,
      claim_id: claim,
      goal_id: goal.goal_id,
    });
    expect(grant).toMatchObject({ context_ids: [] });
    expect(scene.inputs[0]).toEqual({
      claim_type: "exclusive",
      claim_id: claim,
      target_artefact: goal,
      context_chain: [],
      additional_context: [],
    });
  });

  test("works on a grant again after an error, although no wake-up follows", async () => {
    let isFirst = true;
    const wrap = (board: AgentBlackboard): AgentBlackboard => ({
      ...board,
      followGrants: (agent, signal) => board.followGrants(agent, signal, 20),
      beginWork: async (order) => {
        if (!isFirst) return board.beginWork(order);
        isFirst = false;
        throw new Error("A passing error.");
      },
    });
    await using scene = await cubScene({ wrap });
    const { standIn, agent } = scene;
    scene.start();
    const claim = await standIn.openGranted(await standIn.post(), agent);
    expect((await standIn.ended(claim, agent)).state).toBe("done");
    expect(scene.messages()[0]).toBe("Failed to work on the claim");
  });

  test("logs each step, in order", async () => {
    await using scene = await cubScene();
    const { standIn, agent } = scene;
    scene.start();
    const claim = await standIn.openGranted(await standIn.post(), agent);
    await standIn.ended(claim, agent);
    await waitFor("the last line", () => scene.messages().includes("Created artefact"));
    expect(scene.messages()).toEqual([
      "Work Executor received claim from queue",
      "Fetched target artefact",
      "Executing tool",
      "Tool execution completed",
      "Created artefact",
    ]);
    expect(scene.lines.every((line) => line.claim_id === claim)).toBe(true);
  });

  test("starts when its secrets are there, however long it has waited for them", async () => {
    await using folder = await mkdtempDisposable(join(tmpdir(), "sett-late-secrets-"));
    const secrets = new Secrets(folder.path, { token: null });
    await using scene = await cubScene({ over: { secrets } });
    const { standIn, agent } = scene;
    scene.start();
    const claim = await standIn.openGranted(await standIn.post(), agent);
    const waits = () => scene.messages().includes("Waiting for secrets: `sett up` brings them");
    await waitFor("it to wait", waits);
    const before = Date.now();
    await waitFor("a later time", () => Date.now() > before);
    await writeFile(join(folder.path, "token"), "the value of a token");
    const { grant } = await standIn.ended(claim, agent);
    const startedAt = "started_at" in grant ? grant.started_at : "";
    expect(Date.parse(startedAt)).toBeGreaterThan(before);
  });

  test("works on a grant that was queued before it started", async () => {
    await using scene = await cubScene();
    const { standIn, agent } = scene;
    const claim = await standIn.openGranted(await standIn.post(), agent);
    scene.start();
    expect((await standIn.ended(claim, agent)).state).toBe("done");
  });

  test("works on one grant at a time, in the order they came", async () => {
    let running = 0;
    let most = 0;
    await using scene = await cubScene({
      tool: async () => {
        most = Math.max(most, ++running);
        await Promise.resolve();
        running--;
        return { artefact_type: "Report", artefact_payload: "", summary: "" };
      },
    });
    const { standIn, agent } = scene;
    const claims = [];
    for (let count = 0; count < 5; count++)
      claims.push(await standIn.openGranted(await standIn.post(), agent));
    scene.start();
    for (const claim of claims) expect((await standIn.ended(claim, agent)).state).toBe("done");
    expect(most).toBe(1);
    expect(scene.inputs.map((input) => input.claim_id)).toEqual(claims);
  });

  test("gives the tool its context chain and, apart, the results of earlier phases; both are on record with the base commit", async () => {
    await using scene = await cubScene();
    const { standIn, agent } = scene;
    const commit = CommitHash.parse("a".repeat(40));
    const goal = await standIn.post({ metadata: { commit } });
    const design = await standIn.post(derived([goal], { type: "Design" }));
    const note = await standIn.post(derived([goal], { type: "Note" }));
    const claim = await standIn.openGranted(design, agent, "exclusive", {
      additional_context_ids: [note.id],
    });
    scene.start();
    const { grant } = await standIn.ended(claim, agent);
    expect(scene.inputs[0]?.context_chain.map(({ id }) => id)).toEqual([goal.id, note.id]);
    expect(scene.inputs[0]?.additional_context.map(({ id }) => id)).toEqual([note.id]);
    expect(grant).toMatchObject({ base_commit: commit });
    if (grant.state !== "done") throw new Error("The grant is not done.");
    expect(grant.context_ids.toSorted()).toEqual([note.id, goal.id].toSorted());
  });

  test("a tick for a claim without a queued grant does nothing: a wake-up is only a hint", async () => {
    await using scene = await cubScene();
    const { standIn, agent, deps, stop } = scene;
    const claim = await standIn.open(await standIn.post(), [agent]);
    const executor = new WorkExecutor(deps);
    await executor.tick([claim], { stop: stop.signal, kill: stop.signal });
    expect(scene.lines).toEqual([]);
    expect(executor.workingOn).toBeUndefined();
  });
});

test("metrics count executions, successes, failures, time-outs and artefacts by type", async () => {
  const nothing = new Uint8Array();
  const late = {
    kind: "timed_out",
    exitCode: 0,
    signal: null,
    stdout: nothing,
    stderr: nothing,
    durationMs: 60_000,
  };
  const answers: unknown[] = [late, { artefact_type: "Report", artefact_payload: "", summary: "" }];
  await using scene = await cubScene({ tool: () => answers.shift() });
  const { standIn, agent, deps } = scene;
  scene.start();
  for (const goal of [sampleArtefact(), sampleArtefact()]) {
    await standIn.ended(await standIn.openGranted(await standIn.post(goal), agent), agent);
  }
  await waitFor("the count", () => scene.messages().includes("Created artefact"));
  const text = await deps.metrics.registry.metrics();
  for (const line of [
    "sett_cub_executions_total 2",
    "sett_cub_successes_total 1",
    "sett_cub_failures_total 1",
    "sett_cub_timeouts_total 1",
    "sett_cub_execution_seconds_count 2",
    'sett_cub_artefacts_total{type="Report"} 1',
    'sett_cub_artefacts_total{type="ToolExecutionFailure"} 1',
  ]) {
    expect(text).toContain(line);
  }
  expect(scene.messages()).toContain("Tool execution timeout");
});

test("a result that was refused is sent again where Redis has lost what it was refused for", async () => {
  const reconnects: (() => void)[] = [];
  let hasEnded = true;
  await using scene = await cubScene({
    wrap: (board) => ({
      ...board,
      // Its claim had ended when the first one came, and Redis has lost that end since.
      finishGrant: async (order) => {
        if (hasEnded) return { outcome: "refused", reason: "The claim has ended." };
        return board.finishGrant(order);
      },
      readClaim: async (id) => (hasEnded ? undefined : board.readClaim(id)),
      onReconnect: (listener) => {
        reconnects.push(listener);
        return board.onReconnect(listener);
      },
    }),
  });
  const { standIn, agent } = scene;
  scene.start();
  const claim = await standIn.openGranted(await standIn.post(), agent);
  await waitFor("the refusal", () => scene.messages().includes("Failed to create artefact"));
  hasEnded = false;
  for (const reconnected of reconnects) reconnected();
  expect((await standIn.ended(claim, agent)).state).toBe("done");
  expect(scene.inputs).toHaveLength(1);
});
