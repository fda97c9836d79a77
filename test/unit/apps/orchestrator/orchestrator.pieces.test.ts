import { expect, test } from "bun:test";
import type { Blackboard } from "../../../../lib/blackboard/port/blackboard.ts";
import type { SettEvent } from "../../../../lib/model/event.ts";
import { FactDigest } from "../../../../lib/model/fact.ts";
import type { ToolInput } from "../../../../lib/model/tool-contract.ts";
import { Replay } from "../../../../lib/replay/replay.ts";
import { newArtefactId, sampleArtefact } from "../../../support/records/sample.ts";
import { waitFor } from "../../../support/wait-for.ts";
import { memoryClan } from "../../../support/world/memory-clan.ts";

const piece = (key: string) => ({
  key,
  artefact_type: "File",
  artefact_payload: `${key}.txt`,
  summary: `File ${key}`,
});
const list = (...keys: string[]) => ({
  artefact_type: "Plan",
  artefact_payload: "",
  summary: "What is to be done",
  artefacts: keys.map(piece),
});
const splitter = (...keys: string[]) => ({
  bids: [{ on: "GoalDefined", bid: "exclusive" as const }],
  tool: () => list(...keys),
});
const joiner = {
  bids: [{ on: "Plan", bid: "exclusive" as const }],
  tool: ({ pieces = [] }: ToolInput) => ({
    artefact_type: "Joined",
    artefact_payload: JSON.stringify(
      pieces.map(({ key, results, failures }) => [key, results.length, failures.length]),
    ),
    summary: "",
    structural_type: "Terminal",
  }),
};

async function differencesIn(board: Blackboard, events: readonly SettEvent[]) {
  const digests = events.flatMap(({ data = {} }) =>
    [data.registry, data.policy, data.paths].flatMap((one) => FactDigest.safeParse(one).data ?? []),
  );
  const replay = new Replay(await board.readFacts(digests));
  for (const event of events) replay.add(event);
  return replay.end().differences;
}

test("the claim of a list is opened once, when all work on its pieces has ended, whatever came of it", async () => {
  await using clan = await memoryClan();
  await clan.join({
    splitter: splitter("good", "reworked", "broken"),
    mender: {
      bids: [{ on: "File", bid: "exclusive" }],
      tool: ({ target_artefact: { payload, type } }) =>
        payload === "broken.txt"
          ? {
              artefact_type: "Trouble",
              artefact_payload: "",
              summary: "No.",
              structural_type: "Failure",
            }
          : {
              artefact_type: type === "Mended" ? type : "Mended",
              artefact_payload: payload,
              summary: "",
            },
    },
    reader: {
      bids: [{ on: "Mended", bid: "review" }],
      tool: ({ target_artefact: { payload, version } }) => ({
        structural_type: "Review",
        payload: payload === "reworked.txt" && version === 1 ? "Once more." : {},
      }),
    },
    joiner,
  });
  await clan.startOrchestrator();
  const goal = await clan.postGoal();
  const joined = await waitFor("the join", async () => {
    const ids = await clan.board.listArtefactsOfGoal(goal.goal_id);
    const all = await clan.board.readArtefacts(ids);
    return all.find(({ type }) => type === "Joined");
  });
  expect(JSON.parse(joined.payload)).toEqual([
    ["good", 1, 0],
    ["reworked", 1, 0],
    ["broken", 0, 1],
  ]);
  const events = await clan.events();
  const plan = events.find(({ data }) => data?.type === "Plan");
  expect(plan?.data?.pieces).toBe(3);
  const ofPlan = events.filter(({ artefact_id }) => artefact_id === plan?.artefact_id);
  expect(ofPlan.map(({ type }) => type).slice(0, 4)).toEqual([
    "artefact_created",
    "grant_done",
    "pieces_ended",
    "claim_opened",
  ]);
  expect(ofPlan.filter(({ type }) => type === "claim_opened")).toHaveLength(1);
  expect(await differencesIn(clan.board, events)).toEqual([]);
  // A log in which it was opened before the work on the last piece had ended.
  const opened = events.filter(({ claim_id }) => claim_id === ofPlan.at(3)?.claim_id);
  const last = events.findLastIndex(
    ({ type, data }, index) =>
      data?.list === plan?.artefact_id && type === "artefact_created" && index > 0,
  );
  const early = events.filter((event) => !opened.includes(event));
  early.splice(last, 0, ...opened);
  expect((await differencesIn(clan.board, early))[0]?.rules).toMatch(
    /^The work on .{36}, which is of the list's pieces, has not ended\.$/,
  );
});

test("a list in whose place a person has posted another version is not joined when its pieces end", async () => {
  await using clan = await memoryClan();
  const mayEnd = Promise.withResolvers<void>();
  await clan.join({
    splitter: splitter("one"),
    mender: {
      bids: [{ on: "File", bid: "exclusive" }],
      tool: async () => {
        await mayEnd.promise;
        return { artefact_type: "Mended", artefact_payload: "", summary: "" };
      },
    },
    joiner,
  });
  await clan.startOrchestrator();
  const goal = await clan.postGoal();
  const list = await clan.made(goal, ({ type }) => type === "Plan");
  await clan.board.createArtefact(
    sampleArtefact({
      ...{ id: newArtefactId(), type: "Plan", goal_id: goal.goal_id, payload: "My own" },
      ...{ logical_id: list.logical_id, version: 2, source_artefacts: [list.id] },
      ...{ claim_id: "", produced_by_role: "user", produced_by_agent: "" },
    }),
    "person:test",
  );
  await clan.made(goal, ({ type }) => type === "Joined");
  mayEnd.resolve();
  const { claim } = await clan.claimOn(list);
  expect([claim.status, claim.termination_reason]).toEqual([
    "terminated",
    "Version 2 was posted in its place.",
  ]);
  const events = await clan.events();
  expect(events.filter(({ data }) => data?.type === "Joined")).toHaveLength(1);
  expect(await differencesIn(clan.board, events)).toEqual([]);
});
