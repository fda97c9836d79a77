import { expect, test } from "bun:test";
import { revertGoal } from "../../../../../lib/client/actions/revert-goal.ts";
import type { Reverted } from "../../../../../lib/git/repository/revert-commit.ts";
import { type Artefact, userRole } from "../../../../../lib/model/artefact.ts";
import { type ArtefactId, CommitHash, GoalId } from "../../../../../lib/model/ids.ts";
import { LaneName } from "../../../../../lib/model/lane.ts";
import { sampleArtefact } from "../../../../support/records/sample.ts";

type Call = Parameters<typeof revertGoal>;

const commit = (digit: string) => CommitHash.parse(digit.repeat(40));
const goal = sampleArtefact({ metadata: { summary: "Build it", commit: commit("0") } });
const byAgent = { goal_id: goal.goal_id, produced_by_agent: "coder" };
const result = sampleArtefact({
  ...{ ...byAgent, type: "Change", source_artefacts: [goal.id], payload: commit("a") },
  metadata: { commit: commit("a") },
});

function landed(of: Artefact, onto: string, to: CommitHash, lane = "main"): Artefact {
  return sampleArtefact({
    ...{ ...byAgent, structural_type: "Terminal", type: "Landed", payload: to },
    source_artefacts: [of.id],
    metadata: { lane, onto, commit: to, merged: of.metadata.commit },
  });
}

const first = landed(result, "", commit("1"));
/** The lane had it already: this is no move. */
const repeated = landed(result, commit("1"), commit("1"));
/** The result changes nothing, and the lane begins where the goal did. */
const beginning = landed(result, "", commit("0"));
const rejected = sampleArtefact({
  ...{ ...byAgent, produced_by_agent: "", produced_by_role: userRole, type: "Change" },
  ...{ source_artefacts: [first.id], payload: commit("b") },
  metadata: { commit: commit("b"), reverts: "main" },
});

type Scene = { made: Artefact[]; lane?: string; byHand?: CommitHash; reverted?: Reverted };

/** Reverts the goal, of which this was made. */
async function revert({ made, lane, byHand, reverted }: Scene) {
  const all = [goal, ...made];
  const posted: Artefact[] = [];
  const orders: unknown[] = [];
  const board = {
    instance: "demo",
    listArtefactsOfGoal: async () => all.map(({ id }) => id),
    readHeads: async (ids: readonly ArtefactId[]) =>
      ids.flatMap((id) => all.flatMap((head) => (head.id === id ? [{ head, beginning: "" }] : []))),
    readArtefact: async (id: ArtefactId) => all.find((one) => one.id === id),
    findArtefacts: async (start: string) =>
      all.flatMap(({ id }) => (id.startsWith(start) ? [id] : [])),
    findOverwritten: async () => [],
    listLanes: async () => [{ lane: LaneName.parse("main"), commit: commit("5") }],
    readThread: async (thread: string) =>
      all.flatMap((one) => (one.logical_id === thread ? [one.id] : [])),
    readGoal: async () => ({}),
    createArtefact: async (artefact: Artefact) => {
      posted.push(artefact);
      return { outcome: "created" };
    },
  };
  const repository = {
    hasCommit: async () => true,
    commit: async (one: string) => one,
    subject: async () => "Revert it",
    changedPaths: async (...range: string[]) => range,
    pin: async () => {},
    revert: async (order: unknown) => {
      orders.push(order);
      return reverted ?? { outcome: "reverted", commit: commit("c") };
    },
  };
  const wanted = {
    ...{ goal: GoalId.parse(goal.goal_id), lane, commit: byHand, suggest: String },
    ...{ actor: "person:Ada" },
    ...{ signal: new AbortController().signal, onSlow: () => {} },
  };
  const outcome = await revertGoal(
    board as unknown as Call[0],
    repository as unknown as Call[1],
    wanted as Call[2],
    async () => {},
  ).catch((error: unknown) => error);
  return { outcome, posted, orders };
}

test("what a goal has landed is taken back on the tip, the newest first, as a result of the goal", async () => {
  const second = landed({ ...result, id: first.id }, commit("2"), commit("3"));
  const { outcome, posted, orders } = await revert({ made: [result, first, repeated, second] });
  const reverts = [commit("3"), commit("1")];
  expect(outcome).toMatchObject({ lane: "main", reverts });
  expect(orders).toMatchObject([{ tip: commit("5"), commits: reverts, start: commit("0") }]);
  expect(orders).toMatchObject([{ message: expect.stringMatching(/^Revert “Build it”\n\n/) }]);
  expect(posted).toMatchObject([
    {
      ...{ type: "Change", goal_id: goal.goal_id, version: 1, produced_by_agent: "" },
      source_artefacts: [second.id, first.id],
      // From the tip on, and not from the commit of the goal.
      metadata: { commit: commit("c"), changed_paths: [commit("5"), commit("c")], by: "Ada" },
    },
  ]);
  expect(posted).toMatchObject([{ metadata: { reverts: "main" } }]);
});

test("a commit that a person has made by hand takes the goal back as well", async () => {
  const { posted, orders } = await revert({ made: [result, first], byHand: commit("d") });
  expect(orders).toEqual([]);
  expect(posted).toMatchObject([{ metadata: { commit: commit("d"), reverts: "main" } }]);
});

test("what a person has posted on top of what has landed is no revert", async () => {
  const mended = { ...rejected, metadata: { commit: commit("b") } };
  const { posted } = await revert({ made: [result, first, mended] });
  expect(posted).toMatchObject([{ version: 1, source_artefacts: [first.id] }]);
});

test("the one after a revert that has not landed is its next version, and after one that has, a new one", async () => {
  const { posted } = await revert({ made: [result, first, rejected] });
  expect(posted).toMatchObject([{ version: 2, logical_id: rejected.logical_id }]);
  const back = landed(rejected, commit("1"), commit("4"));
  const { posted: anew } = await revert({ made: [result, first, rejected, back] });
  expect(anew).toMatchObject([{ version: 1, source_artefacts: [back.id, first.id] }]);
});

test("what cannot be taken back is refused, each with a sentence, and nothing is posted", async () => {
  const other = landed(result, "", commit("7"), "other");
  const conflict: Reverted = {
    outcome: "conflict",
    of: commit("1"),
    isMerge: true,
    files: ["a.txt"],
  } as const;
  const cases: [Scene, string, string][] = [
    [{ made: [result, repeated] }, "request-refused", "has landed on no lane"],
    [{ made: [result, beginning] }, "request-refused", "has landed on no lane"],
    [{ made: [landed(result, "", commit("a"))] }, "request-refused", "has landed on no lane"],
    [{ made: [result, first, other] }, "usage", "has landed on several lanes: main, other"],
    [{ made: [result, first], lane: "mian" }, "usage", "has not landed on a lane `mian`"],
    [{ made: [first], reverted: { outcome: "same" } }, "request-refused", "has nothing of Goal"],
    [{ made: [result, first], reverted: conflict }, "request-refused", "are built on Goal"],
  ];
  for (const [scene, code, sentence] of cases) {
    const { outcome, posted } = await revert(scene);
    expect(outcome).toMatchObject({ code, message: expect.stringContaining(sentence) });
    expect(posted).toEqual([]);
  }
  const { outcome } = await revert({ made: [result, first], reverted: conflict });
  expect(outcome).toMatchObject({
    hint: `Do it by hand: git switch --detach refs/sett/demo/lanes/main && git revert -m 1 111111111111, and then: revert ${goal.goal_id.slice(0, 8)} --lane main --commit HEAD`,
  });
});
