import { describe, expect, test } from "bun:test";
import { planLaneMerge, readLaneTip } from "../../../../../lib/client/actions/merge-lane.ts";
import type { Artefact } from "../../../../../lib/model/artefact.ts";
import { SettError } from "../../../../../lib/model/errors.ts";
import { type ArtefactId, CommitHash } from "../../../../../lib/model/ids.ts";
import { LaneName } from "../../../../../lib/model/lane.ts";
import { sampleAgent, sampleArtefact } from "../../../../support/records/sample.ts";

type Plan = Parameters<typeof planLaneMerge>;

const lane = LaneName.parse("main");
const commit = (digit: string) => CommitHash.parse(digit.repeat(40));
const goals = ["Walls", "Roof", "Door"].map((summary) =>
  sampleArtefact({ metadata: { summary, commit: commit("0") } }),
);

/** The result of a goal, with which the lane has moved. */
function landed(goal: Artefact | undefined, onto: string, to: string, name = "main"): Artefact {
  if (goal === undefined) throw new Error("no goal");
  return sampleArtefact({
    ...{ structural_type: "Terminal", type: "Landed", produced_by_agent: "merge" },
    ...{ goal_id: goal.goal_id, payload: to, source_artefacts: [goal.id] },
    metadata: { lane: name, onto, commit: CommitHash.parse(to), summary: "Merged" },
  });
}

const [walls, roof, door] = [
  landed(goals[0], "", commit("1")),
  landed(goals[1], commit("1"), commit("2")),
  landed(goals[2], commit("2"), commit("3")),
];
const elsewhere = landed(goals[0], "", commit("3"), "other");
/** The lane had the commit already. */
const repeated = landed(goals[0], commit("3"), commit("3"));

/** `has`: the commits of the branch; `says`: the lines of its messages. */
async function plan({ has = [], says = [] }: { has?: string[]; says?: string[] }) {
  const all = [...goals, elsewhere, repeated, walls, roof, door];
  const board = {
    instance: "demo",
    listCommits: async () =>
      all
        .filter(({ type }) => type === "Landed")
        .map(({ id, payload }) => ({ artefact: id, commit: payload, agent: "merge" })),
    readHeads: async (ids: readonly ArtefactId[]) =>
      ids.flatMap((id) => all.flatMap((head) => (head.id === id ? [{ head }] : []))),
    readArtefact: async (id: ArtefactId) => all.find((one) => one.id === id),
    findOverwritten: async () => [],
  };
  const repository = {
    place: { toplevel: "/house", isBare: false },
    branch: async () => "topic",
    commonWith: async () => commit("0"),
    dirtyFiles: async () => [],
    hasCommit: async () => true,
    isMerged: async (one: string) => has.includes(one),
    commitSaying: async (line: string) => (says.includes(line) ? commit("9") : undefined),
  };
  const wanted = { lane, tip: commit("3"), mode: "merge", suggest: String, onSlow: () => {} };
  const [asBoard, asRepository] = [board as unknown, repository as unknown];
  return await planLaneMerge(asBoard as Plan[0], asRepository as Plan[1], wanted as Plan[2]);
}

const named = (message: string) => message.split("\n").filter((line) => line.startsWith("- "));

test("the merge of a lane has its tip, and names what has landed since the branch has last got it", async () => {
  const whole = await plan({});
  expect(whole).toMatchObject({ of: { lane: "main" }, branch: "topic", mode: "merge" });
  expect(whole.merges).toMatchObject([
    { artefact: door.id, commit: commit("3"), by: "merge", isMerged: false },
  ]);
  const [one] = whole.merges;
  expect(named(one?.message ?? "").map((line) => line.slice(2, 6))).toEqual([
    "Wall",
    "Roof",
    "Door",
  ]);
  const rest = await plan({ has: [commit("1")] });
  expect(named(rest.merges[0]?.message ?? "")).toHaveLength(2);
});

test("a lane that was squashed before is known by the trailers of that commit", async () => {
  const rest = await plan({ says: [`Sett-Artefact: ${roof.id}`] });
  expect(rest.merges[0]?.message).toStartWith("Door\n");
  const all = await plan({ says: [`Sett-Artefact: ${door.id}`] });
  expect(all.merges).toMatchObject([{ isMerged: true }]);
});

describe("refused is", () => {
  const board = {
    listLanes: async () => [{ lane, commit: commit("3") }],
    listAgents: async () => [
      sampleAgent("merge", { lane: "main" }),
      sampleAgent("late", { lane: "b" }),
    ],
  } as unknown as Parameters<typeof readLaneTip>[0];

  test("a lane that is not there, with the names of those that are", async () => {
    expect(await readLaneTip(board, "main", String)).toEqual({ lane, tip: commit("3") });
    expect(await readLaneTip(board, "b", String)).toEqual({
      ...{ lane: LaneName.parse("b"), tip: undefined },
    });
    for (const name of ["mian", "a/b"]) {
      const error = await readLaneTip(board, name, String).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(SettError);
      expect(error).toMatchObject({ code: "usage", hint: "Name one of these: b, main" });
    }
  });

  test("a lane on which nothing has landed", async () => {
    const wanted = { lane, tip: undefined, suggest: String };
    const planned = planLaneMerge(board as Plan[0], {} as Plan[1], wanted as unknown as Plan[2]);
    expect(await planned.catch((thrown: unknown) => thrown)).toMatchObject({
      code: "request-refused",
      message: expect.stringContaining("No result has landed on the lane main yet"),
    });
  });
});
