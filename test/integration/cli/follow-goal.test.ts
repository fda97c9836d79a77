// Following a goal whose Redis dies in the one moment that is hard to hit from outside: between an
// event and what it makes us read.
import { expect, test } from "bun:test";
import process from "node:process";
import { runCommand } from "../../../apps/cli/run-command.ts";
import { GoalId } from "../../../lib/model/ids.ts";
import { type FakeShell, fakeShell } from "../../support/cli/fake-shell.ts";
import { Sett } from "../../support/cli/sett.ts";
import { Workspace } from "../../support/cli/workspace.ts";
import { agentName } from "../../support/records/sample.ts";
import { waitFor } from "../../support/wait-for.ts";

/** A shell in that workspace; `onMessage` gets every message before the command goes on. */
function shellIn(at: Workspace, onMessage: (text: string) => Promise<void>): FakeShell {
  const env = { ...at.env, PATH: process.env.PATH ?? "", GIT_CONFIG_GLOBAL: "/dev/null" };
  const shell: FakeShell = { ...fakeShell(), env, cwd: at.folder };
  const { write } = shell.err;
  shell.err.write = async (text) => {
    await write(text);
    await onMessage(text);
  };
  return shell;
}

test("a goal that ended just before Redis died is judged once Redis is back", async () => {
  await using at = await Workspace.create();
  const shell = shellIn(at, async (text) => {
    if (text.includes("ends the goal")) await at.redis.kill();
  });
  const telling = (text: string) =>
    waitFor(`sett to say "${text}"`, () => shell.written.err.includes(text));
  const exitCode = runCommand(["forage", "--watch", "--goal", "Paint the door"], shell);
  await telling("posts the goal");
  {
    await using board = await at.board();
    const leader = await board.acquireLeaderLease({
      holder: "test",
      leaseMs: 60_000,
      restarted: true,
    });
    if (leader.outcome !== "held") throw new Error("The leader lease is taken.");
    const goal = GoalId.parse(shell.written.out.trim());
    await board.endGoal({ goal, ending: "cancelled", epoch: leader.epoch });
  }
  // Whichever comes first: a command that does not wait has ended.
  await Promise.race([telling("Redis does not answer. Waiting"), exitCode]);
  await at.redis.start();
  expect(await exitCode).toBe(3);
  expect(shell.written.err).toContain("was cancelled");
  expect(shell.written.err.match(/Redis does not answer/g)).toHaveLength(1);
  expect(shell.written.err.match(/ends the goal/g)).toHaveLength(1);
}, 120_000);

test("a goal that stalls while its first line is printed ends with the reasons of the bids that came meanwhile", async () => {
  await using at = await Workspace.create();
  await using clan = await Sett.start(at, {
    approver: { external: true, bids_by_command: true },
  });
  const shell = shellIn(at, async (text) => {
    if (!text.includes("posts the goal")) return;
    const claim = await waitFor("the claim", async () => (await clan.board.listOpenClaims())[0]);
    await clan.board.placeBid({
      ...{ claim, agent: agentName("approver"), word: "ignore" },
      reason: "It paints windows only.",
    });
    await waitFor("its end", async () => (await clan.board.listOpenClaims()).length === 0);
  });
  const words = ["forage", "--watch", "--goal", "Paint the door", "--name", clan.instance];
  expect(await runCommand(words, shell)).toBe(1);
  const [, end] = shell.written.err.split("is stalled.");
  expect(end).toContain("approver bid `ignore`:\n  │ It paints windows only.");
}, 120_000);
