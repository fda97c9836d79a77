// How a cub that must stop ends its work.
import { describe, expect, test } from "bun:test";
import { NotBegun } from "../../../../../apps/cub/container/clean-slate.ts";
import type { AgentBlackboard } from "../../../../../lib/blackboard/port/holders.ts";
import { cubScene, heldTool } from "../../../../support/cub/scene.ts";
import { waitFor } from "../../../../support/wait-for.ts";
import { untilStopped } from "../../../../support/world/tool.ts";

describe("stopping", () => {
  test("lets the running work end, and starts no more", async () => {
    const { tool, endWork } = heldTool();
    await using scene = await cubScene({ tool });
    const { standIn, agent } = scene;
    const { ended } = scene.start();
    const claim = await standIn.openGranted(await standIn.post(), agent);
    await waitFor("the tool", () => scene.inputs.length === 1);
    const next = await standIn.openGranted(await standIn.post(), agent);
    scene.stop.abort("SIGTERM");
    endWork();
    await ended;
    expect((await standIn.ended(claim, agent)).state).toBe("done");
    expect((await standIn.grantOf(next, agent))?.state).toBe("queued");
    expect((await standIn.board.listStatuses()).get(agent)?.state).toBe("stopping");
  });

  test("waits until Redis has written what was acknowledged last, and no longer than the shutdown timeout", async () => {
    let isWritten = false;
    let looks = 0;
    const hasWritten = async () => {
      looks += 1;
      return isWritten;
    };
    for (const [shutdownTimeoutMs, isWrittenAtLast] of [
      [600_000, true],
      [200, false],
    ] as const) {
      [isWritten, looks] = [false, 0];
      await using scene = await cubScene({ wrap: (board) => ({ ...board, hasWritten }) });
      const { standIn, agent, stop } = scene;
      const { ended } = scene.start(shutdownTimeoutMs);
      await standIn.ended(await standIn.openGranted(await standIn.post(), agent), agent);
      await waitFor("the answer", () => scene.messages().includes("Created artefact"));
      stop.abort("SIGTERM");
      // A busy machine may have used up the short time by then.
      if (isWrittenAtLast) await waitFor("it to look", () => looks > 1);
      isWritten = isWrittenAtLast;
      await ended;
    }
  });

  test.each([
    ["ToolExecutionFailure", {}],
    ["AttemptDisrupted", { isInCluster: true }],
  ])(
    "kills a tool that runs longer than the shutdown timeout, and posts the attempt as lost: %s",
    async (type, over) => {
      await using scene = await cubScene({
        over,
        tool: (_input, signal) => untilStopped(signal),
      });
      const { standIn, agent } = scene;
      const { ended } = scene.start(20);
      const claim = await standIn.openGranted(await standIn.post(), agent);
      await waitFor("the tool", () => scene.inputs.length === 1);
      scene.stop.abort("SIGTERM");
      await ended;
      const { state, artefact } = await standIn.ended(claim, agent);
      expect([state, artefact.type]).toEqual(["failed", type]);
      expect(artefact.metadata.summary).toContain("attempt is lost");
    },
  );

  test("the lease is renewed until all is removed that the grant has left", async () => {
    const { tool, endWork } = heldTool();
    let renewals = 0;
    const counted = (board: AgentBlackboard): AgentBlackboard => ({
      ...board,
      renewLease: (order) => {
        renewals++;
        return board.renewLease(order);
      },
    });
    const wipe = async () => {
      const before = renewals;
      await waitFor("a renewal", () => renewals > before);
    };
    await using scene = await cubScene({ tool, wrap: counted, over: { wipe, grantLeaseMs: 600 } });
    const { standIn, agent } = scene;
    scene.start();
    const claim = await standIn.openGranted(await standIn.post(), agent);
    await waitFor("the tool", () => scene.inputs.length === 1);
    endWork();
    expect((await standIn.ended(claim, agent)).state).toBe("done");
  });

  test("a container that is not clean delivers its result, takes no more work, and ends with the reason", async () => {
    const { tool, endWork } = heldTool();
    let unfit: string | undefined;
    const wipe = async () => {
      unfit = "What was left in the container cannot be removed: EPERM";
    };
    await using scene = await cubScene({ tool, over: { wipe, unfit: () => unfit } });
    const { standIn, agent } = scene;
    const { ended } = scene.start();
    const claim = await standIn.openGranted(await standIn.post(), agent);
    await waitFor("the tool", () => scene.inputs.length === 1);
    const next = await standIn.openGranted(await standIn.post(), agent);
    endWork();
    await expect(ended).rejects.toThrow("What was left in the container cannot be removed");
    expect((await standIn.ended(claim, agent)).state).toBe("done");
    expect((await standIn.grantOf(next, agent))?.state).toBe("queued");
  });

  test("a grant that cannot begin clean is a Failure with the reason, and its tool does not run", async () => {
    const clear = () =>
      Promise.reject(new NotBegun("What was left in the container cannot be removed: EPERM"));
    await using scene = await cubScene({ over: { clear } });
    const { standIn, agent } = scene;
    scene.start();
    const { state, artefact } = await standIn.ended(
      await standIn.openGranted(await standIn.post(), agent),
      agent,
    );
    expect([state, artefact.metadata.summary]).toEqual([
      "failed",
      expect.stringContaining("cannot be removed: EPERM"),
    ]);
    expect(scene.inputs).toEqual([]);
  });
});
