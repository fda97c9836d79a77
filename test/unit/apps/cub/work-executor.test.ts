import { describe, expect, test } from "bun:test";
import { WorkExecutor } from "../../../../apps/cub/work-executor.ts";
import type { Blackboard } from "../../../../lib/blackboard/port.ts";
import { SettError } from "../../../../lib/model/errors.ts";
import { CommitHash } from "../../../../lib/model/ids.ts";
import { FailureReport } from "../../../../lib/model/tool-contract.ts";
import { cubScene } from "../../../support/cub/scene.ts";
import { until } from "../../../support/cub/until.ts";
import { derived } from "../../../support/records/lineage.ts";
import { sampleArtefact } from "../../../support/records/sample.ts";
import { exited } from "../../../support/world/tool.ts";

const away = () => new SettError("redis-unreachable", "Redis does not answer.");

describe("the work executor", () => {
  test("runs the tool on the target and posts what it says", async () => {
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

  test("takes up a grant again that an error has kept it from, although nothing wakes it any more", async () => {
    let isFirst = true;
    const wrap = (board: Blackboard): Blackboard => ({
      ...board,
      followGrants: (agent, signal) => board.followGrants(agent, signal, 20),
      readClaim: async (id) => {
        if (!isFirst) return board.readClaim(id);
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

  test("says each step in the log, in order", async () => {
    await using scene = await cubScene();
    const { standIn, agent } = scene;
    scene.start();
    const claim = await standIn.openGranted(await standIn.post(), agent);
    await standIn.ended(claim, agent);
    await until(() => scene.messages().includes("Created artefact"), "the last line");
    expect(scene.messages()).toEqual([
      "Work Executor received claim from queue",
      "Fetched target artefact",
      "Executing tool",
      "Tool execution completed",
      "Created artefact",
    ]);
    expect(scene.lines.every((line) => line.claim_id === claim)).toBe(true);
  });

  test("takes up a grant that was queued before it started", async () => {
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
    for (let count = 0; count < 5; count++) claims.push(await standIn.openGranted(await standIn.post(), agent));
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
    const claim = await standIn.openGranted(design, agent, "exclusive", { additional_context_ids: [note.id] });
    scene.start();
    const { grant } = await standIn.ended(claim, agent);
    expect(scene.inputs[0]?.context_chain.map(({ id }) => id)).toEqual([goal.id, note.id]);
    expect(scene.inputs[0]?.additional_context.map(({ id }) => id)).toEqual([note.id]);
    expect(grant).toMatchObject({ base_commit: commit });
    if (grant.state !== "done") throw new Error("The grant is not done.");
    expect(grant.context_ids.toSorted()).toEqual([note.id, goal.id].toSorted());
  });

  test("a Failure that the tool chose is stored as such and fails the grant", async () => {
    await using scene = await cubScene({
      tool: () => ({
        artefact_type: "NoWay",
        artefact_payload: { why: 1 },
        summary: "Cannot be done.",
        structural_type: "Failure",
      }),
    });
    const { standIn, agent } = scene;
    scene.start();
    const { state, artefact, grant } = await standIn.ended(await standIn.openGranted(await standIn.post(), agent), agent);
    expect(state).toBe("failed");
    expect(artefact).toMatchObject({ structural_type: "Failure", type: "NoWay", payload: '{"why":1}' });
    expect(grant).toMatchObject({ reason: "Cannot be done." });
  });

  test("a review grant's result is a Review whatever the tool calls it", async () => {
    await using scene = await cubScene({ tool: () => ({ artefact_type: "Lint", artefact_payload: {}, summary: "" }) });
    const { standIn, agent } = scene;
    scene.start();
    const { artefact } = await standIn.ended(await standIn.openGranted(await standIn.post(), agent, "review"), agent);
    expect(artefact).toMatchObject({ structural_type: "Review", type: "Lint", payload: "{}" });
    expect(scene.inputs[0]?.claim_type).toBe("review");
  });

  test("a tool that breaks the contract makes a ToolExecutionFailure, and the cub carries on", async () => {
    const answers = [exited("oops"), exited("{}", 7, "bad luck")];
    await using scene = await cubScene({
      tool: () => answers.shift() ?? { artefact_type: "Report", artefact_payload: "", summary: "" },
    });
    const { standIn, agent } = scene;
    scene.start();
    const reports: FailureReport[] = [];
    for (const _ of [1, 2]) {
      const goal = await standIn.post();
      const { state, artefact } = await standIn.ended(await standIn.openGranted(goal, agent), agent);
      expect([state, artefact.type, artefact.source_artefacts]).toEqual(["failed", "ToolExecutionFailure", [goal.id]]);
      reports.push(FailureReport.parse(JSON.parse(artefact.payload)));
    }
    expect(reports[0]?.reason).toContain("not JSON");
    expect(reports[1]).toMatchObject({ exit_code: 7, stderr: "bad luck", timed_out: false });
    const last = await standIn.ended(await standIn.openGranted(await standIn.post(), agent), agent);
    expect(last.state).toBe("done");
    expect(scene.messages()).toContain("Failed to parse tool output");
    expect(scene.messages()).toContain("Tool execution failed");
    expect(scene.messages()).toContain("Created Failure artefact");
  });

  test("a target that vanished makes a Failure that says so", async () => {
    const board = (real: Blackboard): Blackboard => ({ ...real, readArtefact: async () => undefined });
    await using scene = await cubScene({ wrap: board });
    const { standIn, agent } = scene;
    scene.start();
    const goal = await standIn.post();
    const { state, artefact } = await standIn.ended(await standIn.openGranted(goal, agent), agent);
    expect([state, artefact.type]).toEqual(["failed", "ToolExecutionFailure"]);
    expect(FailureReport.parse(JSON.parse(artefact.payload)).reason).toContain(`${goal.id} is not on the blackboard`);
  });

  test("a context that is too large makes a Failure that says so, and the tool is not run", async () => {
    await using scene = await cubScene({ over: { contextBytes: 1_000 } });
    const { standIn, agent } = scene;
    scene.start();
    const goal = await standIn.post({ payload: "x".repeat(1_000) });
    const target = await standIn.post(derived([goal]));
    const { state, artefact } = await standIn.ended(await standIn.openGranted(target, agent), agent);
    expect([state, artefact.type]).toEqual(["failed", "ToolExecutionFailure"]);
    expect(FailureReport.parse(JSON.parse(artefact.payload)).reason).toMatch(/more than limits\.context allows.*GoalDefined/);
    expect(scene.inputs).toEqual([]);
  });

  test("a Redis that is away for a while costs neither the grant nor its result", async () => {
    const failures = { accept: 2, finish: 2 };
    const wrap = (real: Blackboard): Blackboard => ({
      ...real,
      acceptGrant: async (order) => {
        if (failures.accept-- > 0) throw away();
        return real.acceptGrant(order);
      },
      // The script ran, but its answer was lost.
      finishGrant: async (order) => {
        const answer = await real.finishGrant(order);
        if (failures.finish-- > 0) throw away();
        return answer;
      },
    });
    await using scene = await cubScene({ wrap });
    const { standIn, agent } = scene;
    scene.start();
    const claim = await standIn.openGranted(await standIn.post(), agent);
    expect((await standIn.ended(claim, agent)).state).toBe("done");
    await until(() => scene.messages().includes("Created artefact"), "the delivery");
    expect(scene.inputs).toHaveLength(1);
  });

  test("a result that comes too late is refused, logged and dropped, and the cub carries on", async () => {
    const { promise: workEnds, resolve: endWork } = Promise.withResolvers<void>();
    await using scene = await cubScene({
      tool: async () => {
        await workEnds;
        return { artefact_type: "Report", artefact_payload: "", summary: "" };
      },
    });
    const { standIn, agent } = scene;
    scene.start();
    const claim = await standIn.openGranted(await standIn.post(), agent);
    await until(() => scene.inputs.length === 1, "the tool");
    await standIn.terminate(claim, "No longer wanted.");
    endWork();
    await until(() => scene.messages().includes("Failed to create artefact"), "the refusal");
    const next = await standIn.openGranted(await standIn.post(), agent);
    expect((await standIn.ended(next, agent)).state).toBe("done");
  });

  test("a tick for a claim without a queued grant does nothing: a wake-up is only a hint", async () => {
    await using scene = await cubScene();
    const { standIn, agent, parts, stop } = scene;
    const claim = await standIn.open(await standIn.post(), [agent]);
    const executor = new WorkExecutor(parts);
    await executor.tick([claim], { stop: stop.signal, kill: stop.signal });
    expect(scene.lines).toEqual([]);
    expect(executor.inHand).toBeUndefined();
  });
});

describe("stopping", () => {
  test("lets the work under way end, and takes no more", async () => {
    const { promise: workEnds, resolve: endWork } = Promise.withResolvers<void>();
    await using scene = await cubScene({
      tool: async () => {
        await workEnds;
        return { artefact_type: "Report", artefact_payload: "", summary: "" };
      },
    });
    const { standIn, agent } = scene;
    const { ended } = scene.start();
    const claim = await standIn.openGranted(await standIn.post(), agent);
    await until(() => scene.inputs.length === 1, "the tool");
    const next = await standIn.openGranted(await standIn.post(), agent);
    scene.stop.abort("SIGTERM");
    endWork();
    await ended;
    expect((await standIn.ended(claim, agent)).state).toBe("done");
    expect((await standIn.grantOf(next, agent))?.state).toBe("queued");
    expect((await standIn.board.listStatuses()).get(agent)?.state).toBe("stopping");
  });

  test("kills a tool that outstays the shutdown timeout and posts the attempt as lost", async () => {
    await using scene = await cubScene({
      tool: (_input, signal) =>
        new Promise((resolve) => {
          const nothing = new Uint8Array();
          const end = { kind: "aborted", exitCode: null, signal: "SIGTERM", stdout: nothing, stderr: nothing, durationMs: 5 };
          signal.addEventListener("abort", () => resolve(end));
        }),
    });
    const { standIn, agent } = scene;
    const { ended } = scene.start(20);
    const claim = await standIn.openGranted(await standIn.post(), agent);
    await until(() => scene.inputs.length === 1, "the tool");
    scene.stop.abort("SIGTERM");
    await ended;
    const { state, artefact } = await standIn.ended(claim, agent);
    expect(state).toBe("failed");
    expect(artefact.metadata.summary).toContain("attempt is lost");
  });
});

test("metrics count executions, successes, failures, time-outs and artefacts by type", async () => {
  const nothing = new Uint8Array();
  const late = { kind: "timed_out", exitCode: 0, signal: null, stdout: nothing, stderr: nothing, durationMs: 60_000 };
  const answers: unknown[] = [late, { artefact_type: "Report", artefact_payload: "", summary: "" }];
  await using scene = await cubScene({ tool: () => answers.shift() });
  const { standIn, agent, parts } = scene;
  scene.start();
  for (const goal of [sampleArtefact(), sampleArtefact()]) {
    await standIn.ended(await standIn.openGranted(await standIn.post(goal), agent), agent);
  }
  await until(() => scene.messages().includes("Created artefact"), "the count");
  const text = await parts.metrics.registry.metrics();
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
