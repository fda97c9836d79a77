import { expect, test } from "bun:test";
import { IssueLoop, type IssueParts } from "../../../../../apps/api/forge/issue-loop.ts";
import type { PullAgent } from "../../../../../apps/api/forge/settings.ts";
import { PullRequestFile } from "../../../../../lib/model/config-forges.ts";
import { AgentName } from "../../../../../lib/model/ids.ts";
import { createJsonLog } from "../../../../../lib/service/json-log.ts";

const agent: PullAgent = {
  ...{ name: AgentName.parse("pull-request"), forge: "hub", accounts: {} },
  pull_request: PullRequestFile.parse({ base: "main" }),
};

function sceneOf(records: Record<string, object>, { openGoals = [] as string[] } = {}) {
  const scene = {
    nowMs: 0,
    hasToken: true,
    isOwn: true,
    asked: [] as string[],
    looks: [] as string[],
    tick: async () => await loop.tick(),
  };
  const board = {
    readPause: async () => undefined,
    countGoals: async () => Object.keys(records).length,
    listGoals: async () => Object.keys(records),
    readGoal: async (goal: string) => ({ artefacts: 1, ...records[goal] }),
    listOpenClaims: async () => openGoals,
    readClaims: async (goals: string[]) => goals.map((goal_id) => ({ claim: { goal_id } })),
  };
  const forge = {
    issueAt(address: string) {
      scene.asked.push(address);
      return scene.isOwn ? 7 : undefined;
    },
  };
  const loop = new IssueLoop({
    ...{ agents: [agent], now: () => scene.nowMs, secrets: async () => new Map() },
    forgeOf: (async () =>
      scene.hasToken ? { forge, pushAt: {} } : undefined) as unknown as IssueParts["forgeOf"],
    log: createJsonLog(
      () => undefined,
      () => new Date(0),
    ),
    // What else it reads is how far the goal is.
    board: new Proxy(board, {
      get: (of, name) => Reflect.get(of, name) ?? (async () => scene.looks.push(String(name))),
    }) as unknown as IssueParts["board"],
  });
  return scene;
}

const over = { state: "there", word: "w", id: 1, text: "", is_over: true };
const issue = "http://h/a/b/issues/7";

test("an issue elsewhere is left alone, and one whose forge has no token yet is asked for again", async () => {
  const elsewhere = sceneOf({ g: { issue } });
  elsewhere.isOwn = false;
  for (const _ of [1, 2, 3]) await elsewhere.tick();
  expect(elsewhere.asked).toHaveLength(1);
  expect(elsewhere.looks).toEqual([]);

  const early = sceneOf({ g: { issue } });
  early.hasToken = false;
  await early.tick();
  expect(early.looks).toEqual([]);
  early.hasToken = true;
  await early.tick();
  expect(early.looks).not.toEqual([]);
});

test("a goal that is over is looked at again only where a person has begun it again", async () => {
  const records = { g: { issue, comment: JSON.stringify(over) } };
  const ended = sceneOf(records);
  await ended.tick();
  expect(ended.looks).toEqual([]);
  const again = sceneOf(records, { openGoals: ["g"] });
  await again.tick();
  expect(again.looks).not.toEqual([]);
});

test("a goal without an issue, or whose comment is gone or changed by hand, is not looked at", async () => {
  const records = {
    none: {},
    gone: { issue, comment: JSON.stringify({ state: "gone" }) },
    changed: { issue, comment: "by hand" },
  };
  const scene = sceneOf(records, { openGoals: Object.keys(records) });
  await scene.tick();
  expect(scene.looks).toEqual([]);
});
