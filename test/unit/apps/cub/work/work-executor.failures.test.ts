// Shows what becomes of work that fails, is refused, or cannot reach Redis.
import { describe, expect, test } from "bun:test";
import type { AgentBlackboard } from "../../../../../lib/blackboard/port/holders.ts";
import { SettError } from "../../../../../lib/model/errors.ts";
import { LaneName } from "../../../../../lib/model/lane.ts";
import { FailureReport } from "../../../../../lib/model/tool-contract.ts";
import { cubScene, heldTool } from "../../../../support/cub/scene.ts";
import { derived } from "../../../../support/records/lineage.ts";
import { newArtefactId } from "../../../../support/records/sample.ts";
import { waitFor } from "../../../../support/wait-for.ts";
import { exited } from "../../../../support/world/tool.ts";

const away = () => new SettError("redis-unreachable", "Redis does not answer.");

describe("failures of the work", () => {
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
    const { state, artefact, grant } = await standIn.ended(
      await standIn.openGranted(await standIn.post(), agent),
      agent,
    );
    expect(state).toBe("failed");
    expect(artefact).toMatchObject({
      structural_type: "Failure",
      type: "NoWay",
      payload: '{"why":1}',
    });
    expect(grant).toMatchObject({ reason: "Cannot be done." });
  });

  test("a review grant's result is a Review whatever the tool calls it", async () => {
    await using scene = await cubScene({
      tool: () => ({ artefact_type: "Lint", artefact_payload: {}, summary: "" }),
    });
    const { standIn, agent } = scene;
    scene.start();
    const { artefact } = await standIn.ended(
      await standIn.openGranted(await standIn.post(), agent, "review"),
      agent,
    );
    expect(artefact).toMatchObject({ structural_type: "Review", type: "Lint", payload: "{}" });
    expect(scene.inputs[0]?.claim_type).toBe("review");
  });

  test("a tool that breaks the contract makes a ToolExecutionFailure, and the cub goes on", async () => {
    const answers = [exited("oops"), exited("{}", 7, "bad luck")];
    await using scene = await cubScene({
      tool: () => answers.shift() ?? { artefact_type: "Report", artefact_payload: "", summary: "" },
    });
    const { standIn, agent } = scene;
    scene.start();
    const reports: FailureReport[] = [];
    for (const _ of [1, 2]) {
      const goal = await standIn.post();
      const { state, artefact } = await standIn.ended(
        await standIn.openGranted(goal, agent),
        agent,
      );
      expect([state, artefact.type, artefact.source_artefacts]).toEqual([
        "failed",
        "ToolExecutionFailure",
        [goal.id],
      ]);
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
    const board = (real: AgentBlackboard): AgentBlackboard => ({
      ...real,
      beginWork: async () => ({ outcome: "apart" }),
      readArtefact: async () => undefined,
    });
    await using scene = await cubScene({ wrap: board });
    const { standIn, agent } = scene;
    scene.start();
    const goal = await standIn.post();
    const { state, artefact } = await standIn.ended(await standIn.openGranted(goal, agent), agent);
    expect([state, artefact.type]).toEqual(["failed", "ToolExecutionFailure"]);
    expect(FailureReport.parse(JSON.parse(artefact.payload)).reason).toContain(
      `${goal.id} is not on the blackboard`,
    );
  });

  test("a context that is too large makes a Failure that says so, and the tool is not run", async () => {
    await using scene = await cubScene({ over: { contextBytes: 1_000 } });
    const { standIn, agent } = scene;
    scene.start();
    const goal = await standIn.post({ payload: "x".repeat(1_000) });
    const target = await standIn.post(derived([goal]));
    const { state, artefact } = await standIn.ended(
      await standIn.openGranted(target, agent),
      agent,
    );
    expect([state, artefact.type]).toEqual(["failed", "ToolExecutionFailure"]);
    expect(FailureReport.parse(JSON.parse(artefact.payload)).reason).toMatch(
      /more than limits\.context allows.*GoalDefined/,
    );
    expect(scene.inputs).toEqual([]);
  });

  test("a Redis that is away for a while costs neither the grant nor its result", async () => {
    const failures = { accept: 2, finish: 2 };
    const wrap = (real: AgentBlackboard): AgentBlackboard => ({
      ...real,
      beginWork: async (order) => {
        if (failures.accept-- > 0) throw away();
        return real.beginWork(order);
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
    await waitFor("the delivery", () => scene.messages().includes("Created artefact"));
    expect(scene.inputs).toHaveLength(1);
  });

  test("a result that comes too late is refused, logged and dropped, and the cub goes on", async () => {
    const { tool, endWork } = heldTool();
    await using scene = await cubScene({ tool });
    const { standIn, agent } = scene;
    scene.start();
    const claim = await standIn.openGranted(await standIn.post(), agent);
    await waitFor("the tool", () => scene.inputs.length === 1);
    await standIn.terminate(claim, "No longer wanted.");
    endWork();
    await waitFor("the refusal", () => scene.messages().includes("Failed to create artefact"));
    const next = await standIn.openGranted(await standIn.post(), agent);
    expect((await standIn.ended(next, agent)).state).toBe("done");
  });

  test("a result that the record does not take ends its attempt at once, with the reason", async () => {
    const { tool, endWork } = heldTool();
    await using scene = await cubScene({ tool });
    const { standIn, agent } = scene;
    scene.start();
    const draft = await standIn.post({ type: "Report" });
    const rework = { kind: "rework" as const };
    const claim = await standIn.openGranted(draft, agent, "exclusive", rework);
    await waitFor("the tool", () => scene.inputs.length === 1);
    await standIn.post({ ...draft, id: newArtefactId(), version: 2 });
    endWork();
    const { state, artefact, grant } = await standIn.ended(claim, agent);
    expect([state, artefact.type, artefact.source_artefacts]).toEqual([
      "failed",
      "ToolExecutionFailure",
      [draft.id],
    ]);
    const reason = expect.stringMatching(
      /^The result Report \(\S+\) was refused and is not on record: The next version .* is 3, not 2\.$/,
    );
    expect(grant).toMatchObject({ reason });
    expect(FailureReport.parse(JSON.parse(artefact.payload)).reason).toEqual(reason);
    const next = await standIn.openGranted(await standIn.post(), agent);
    expect((await standIn.ended(next, agent)).state).toBe("done");
  });

  test("a result that was refused before Redis lost its last writes is sent again, and no Failure instead", async () => {
    let [answers, since] = [0, 1];
    await using scene = await cubScene({
      wrap: (board) => ({
        ...board,
        finishGrant: async (order) => {
          answers += 1;
          if (answers > 1) return board.finishGrant(order);
          // Its claim had ended when it came, and Redis loses that end now.
          since += 1;
          return { outcome: "refused", reason: "The claim has ended." };
        },
        contactSince: () => since,
      }),
    });
    const { standIn, agent } = scene;
    scene.start();
    const claim = await standIn.openGranted(await standIn.post(), agent);
    const { state, artefact } = await standIn.ended(claim, agent);
    expect([state, artefact.type]).toEqual(["done", "Report"]);
  });

  test("Redis that is away while the tip of a lane is read fails no work", async () => {
    let reads = 0;
    const lane = { name: LaneName.parse("main"), method: "merge" as const, gates: [] };
    await using scene = await cubScene({
      agent: { lane: lane.name },
      over: { lane },
      wrap: (board) => ({
        ...board,
        readLane: async (name) => {
          reads += 1;
          if (reads === 1) throw away();
          return board.readLane(name);
        },
      }),
    });
    const { standIn, agent } = scene;
    scene.start();
    const claim = await standIn.openGranted(await standIn.post(), agent);
    expect([(await standIn.ended(claim, agent)).state, reads]).toEqual(["done", 2]);
  });
});
