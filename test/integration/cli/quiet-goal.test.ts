// While nothing happens, a command that follows a goal says whom the goal waits for, and it ends by
// the same rules as otherwise.
import { expect, test } from "bun:test";
import { onGoal, Sett } from "../../support/cli/sett.ts";
import { Workspace } from "../../support/cli/workspace.ts";
import { nightly } from "../../support/nightly.ts";
import { agentName } from "../../support/records/sample.ts";
import { playAgent } from "../../support/world/played-agent.ts";

test("forage --watch names the external agent that has the grant, says how to act for it once, and ends with its result", async () => {
  await using at = await Workspace.create();
  await using clan = await Sett.start(at, { approver: { external: true, ...onGoal("exclusive") } });
  await using watching = clan.start("forage", "--watch", "--goal", "Paint the door");
  await watching.untilErr("waits for `approver` to start");
  await watching.untilErr("it takes part by hand");
  await watching.untilErr("sett agent-env approver");
  // What it waits for changes with the start, and is then said once more.
  const stop = new AbortController();
  const mayEnd = Promise.withResolvers<void>();
  const work = async () => {
    await mayEnd.promise;
    return { structural_type: "Terminal", type: "Done", payload: "done" } as const;
  };
  const playing = playAgent(clan.board, "approver", { bid: () => undefined, work }, stop.signal);
  await watching.untilErr("waits for `approver`, at work");
  mayEnd.resolve();
  expect(await watching.exited).toBe(0);
  expect(watching.err()).toContain("is achieved");
  expect(watching.err().match(/waits for `approver` to start/g)).toHaveLength(1);
  expect(await clan.need("status")).not.toContain("waits for");
  stop.abort();
  await playing;
}, 120_000);

nightly(
  "it names an agent that is silent, and an orchestrator that is gone; status gives the same next step",
  async () => {
    await using at = await Workspace.create();
    await using clan = await Sett.start(at, {
      coder: onGoal("exclusive"),
      approver: { external: true, bids_by_command: true },
    });
    await using watching = clan.start("forage", "--watch", "--goal", "Paint the door");
    await watching.untilErr("the bid of `approver`");
    await watching.untilErr("sett agent-env approver");
    expect(await clan.need("status")).toMatch(/the bid of `approver`.*\n.*sett agent-env approver/);
    const [claim] = await clan.board.listOpenClaims();
    if (claim === undefined) throw new Error("There is no claim.");
    await clan.board.placeBid({ claim, agent: agentName("approver"), word: "ignore" });
    await watching.untilErr("waits for `coder` to start");
    await watching.untilErr("has never sent a heartbeat");
    await clan.untilUnled();
    await watching.untilErr("no orchestrator is running");
  },
  120_000,
);
