import { expect, setDefaultTimeout, test } from "bun:test";
import { ForgeLoop, type ForgeParts } from "../../../../../apps/api/forge/forge-loop.ts";
import type { PullAgent } from "../../../../../apps/api/forge/settings.ts";
import { PullRequestFile } from "../../../../../lib/model/config-forges.ts";
import { AgentName } from "../../../../../lib/model/ids.ts";
import { createJsonLog } from "../../../../../lib/service/json-log.ts";
import { waitFor } from "../../../../support/wait-for.ts";

setDefaultTimeout(120_000);

type Board = ForgeParts["board"];

const agentOf = (name: string): PullAgent => ({
  ...{ name: AgentName.parse(name), forge: name, accounts: {} },
  pull_request: PullRequestFile.parse({ base: "main" }),
});
const grantOf = (agent: string) => ({ agent, state: "waiting", waits_for: { kind: "approval" } });

function loopOf(board: object, parts: Partial<ForgeParts> = {}) {
  const log: string[] = [];
  const loop = new ForgeLoop({
    ...{ agents: [agentOf("slow"), agentOf("quick")], now: () => 0 },
    ...{ reader: unused, report: unused, secrets: unused, forgeOf: unused },
    log: createJsonLog(
      (line) => log.push(line),
      () => new Date(0),
    ),
    ...parts,
    board: board as Board,
  });
  return { log, loop };
}

async function unused(): Promise<never> {
  throw new Error("This is not needed.");
}

test("a log that breaks off is followed again, and ends nothing", async () => {
  let times = 0;
  const board = {
    readPause: async () => undefined,
    readPausedGoals: async () => new Map(),
    listOpenClaims: async () => [],
    endOfEvents: async () => "0",
    async *followEvents(_from: string, signal: AbortSignal) {
      times++;
      if (times === 1) throw new Error("Redis is away");
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    },
  };
  const { loop, log } = loopOf(board);
  const end = new AbortController();
  const running = loop.run(end.signal);
  await waitFor("the second try", async () => times === 2);
  end.abort();
  await running;
  expect(log.join()).toContain("Redis is away");
});

test("a forge that does not answer keeps those who wait for another from nothing", async () => {
  const board = {
    readPause: async () => undefined,
    readPausedGoals: async () => new Map(),
    listOpenClaims: async () => ["c"],
    readClaims: async () => [
      {
        claim: { id: "c", artefact_id: "a", bids: [] },
        grants: [grantOf("slow"), grantOf("quick")],
      },
    ],
    readWithDigest: async () => ({ artefact: {}, digest: "" }),
  };
  const looks: string[] = [];
  const { promise: never, resolve } = Promise.withResolvers<undefined>();
  const { loop } = loopOf(board, {
    forgeOf: async ({ forge }) => {
      looks.push(forge);
      return forge === "slow" ? await never : undefined;
    },
  });
  const looking = loop.tick();
  await waitFor("both looks", async () => looks.length === 2);
  resolve(undefined);
  await looking;
  expect(looks.toSorted()).toEqual(["quick", "slow"]);
});
