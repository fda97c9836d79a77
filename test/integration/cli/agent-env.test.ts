// sett agent-env where it has no address to show; what it shows is in test/e2e/redis-users.test.ts.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Blackboard } from "../../../lib/blackboard/port/blackboard.ts";
import { Workspace } from "../../support/cli/workspace.ts";
import { sampleAgent } from "../../support/records/sample.ts";

let at: Workspace;
let board: Blackboard;

beforeAll(async () => {
  at = await Workspace.create();
  board = await at.board();
  const agents = [sampleAgent("coder"), sampleAgent("approver", { external: true })];
  await board.registerAgents(agents, "person:Ada", { exact: true });
}, 120_000);

afterAll(async () => {
  await board[Symbol.asyncDispose]();
  await at[Symbol.asyncDispose]();
});

test("of a Redis that REDIS_URL names the users are not known, and the command says so", async () => {
  const { code, out, err } = await at.sett("agent-env", "approver", "--json");
  expect([code, out]).toEqual([2, ""]);
  expect(err).toContain("The users of a Redis that REDIS_URL names are not known.");
});

test("an agent that sett up starts, and one that nothing knows, are refused with the names of those that are external", async () => {
  for (const agent of ["coder", "stranger"]) {
    const { code, err } = await at.sett("agent-env", agent);
    expect(code).not.toBe(0);
    expect(err).toContain(`There is no external agent ${agent}.`);
    expect(err).toContain("There are: approver.");
  }
});
