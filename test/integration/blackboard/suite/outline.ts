import { expect, test } from "bun:test";
import type { Blackboard } from "../../../../lib/blackboard/port/blackboard.ts";
import { artefactFieldNames } from "../../../../lib/blackboard/records/artefact-field-names.ts";
import type { Artefact } from "../../../../lib/model/artefact.ts";
import { type ClaimId, CommitHash } from "../../../../lib/model/ids.ts";
import type { Bench } from "../../../support/blackboard/bench.ts";
import { acquireLeaderLease, commitOf, postGoal, user } from "../../../support/blackboard/scene.ts";
import { nextVersion } from "../../../support/records/lineage.ts";
import { newGoalId, sampleArtefact, sampleClaim } from "../../../support/records/sample.ts";

/** More than Redis looks at in one call. */
const many = 600;

export function outlineSuite(open: () => Promise<Bench>, rarely: typeof test): void {
  test("of a goal's artefacts those at rest are counted, and one of either kind is named", async () => {
    await using bench = await open();
    const { goal, made, claimed } = await scene(bench.board);
    const [first, second] = [await made(), await made()];
    for (const one of [goal, first, second]) await claimed(one, "ended");
    const review = await made({ structural_type: "Review" });
    await made({ structural_type: "Review" });
    const outline = await bench.board.readOutline(goal.goal_id);
    expect([outline.artefacts, outline.claims]).toEqual([5, 3]);
    expect([...outline.named.keys()]).toEqual([goal.id, first.id, review.id]);
  });

  test("what the goal's state depends on is named, oldest first, with its claims", async () => {
    await using bench = await open();
    const { board } = bench;
    const { goal, made, claimed } = await scene(board);
    for (const one of [goal, await made(), await made()]) await claimed(one, "ended");
    const next = await made({ logical_id: goal.logical_id, version: 2, type: goal.type });
    const claims = new Map([["standard", await claimed(next, "ended")]]);
    const owed = await made();
    const [underWay, taken] = [await made(), await made()];
    const openOne = new Map([["standard", await claimed(underWay, "open")]]);
    const again = new Map([
      ["standard", await claimed(taken, "ended")],
      ["rework:1", await claimed(taken, "ended", "rework:1")],
    ]);
    const kinds = ["Question", "Answer", "Failure", "Terminal"] as const;
    const others = await inTurn(kinds, (structural_type) =>
      made({ structural_type, type: structural_type }),
    );
    const outline = await board.readOutline(goal.goal_id);
    const [, , ...named] = outline.named;
    expect(named).toEqual([
      [next.id, claims],
      [owed.id, new Map()],
      [underWay.id, openOne],
      [taken.id, again],
      ...others.map(({ id }): [typeof id, Map<string, ClaimId>] => [id, new Map()]),
    ]);
    expect([outline.artefacts, outline.claims]).toEqual([11, 7]);
  });

  const damaged = {
    ...Object.fromEntries(
      artefactFieldNames.filter((name) => name !== "payload").map((name) => [name, "{"]),
    ),
    version: "01",
    type: "",
    produced_by_role: "",
    created_at: "2026-02-30T00:00:00.000Z",
    source_artefacts: '["00000000-0000-4000-8000-00000000000"]',
    metadata: '{"commit":"HEAD"}',
  };

  // Any name of an agent is right.
  test.each(Object.entries(damaged).filter(([name]) => name !== "produced_by_agent"))(
    "an artefact whose %s is %p is named, for a reader to see what is wrong with it",
    async (name, text) => {
      await using bench = await open();
      const { goal, made, claimed } = await scene(bench.board);
      const [sound, other] = [await made(), await made()];
      for (const one of [goal, sound, other]) await claimed(one, "ended");
      expect([...(await bench.board.readOutline(goal.goal_id)).named.keys()]).toEqual([
        goal.id,
        sound.id,
      ]);
      await bench.hand.writeArtefact(other.id, { [name]: text });
      expect([...(await bench.board.readOutline(goal.goal_id)).named.keys()]).toEqual([
        goal.id,
        sound.id,
        other.id,
      ]);
    },
  );

  test("a version that a person has posted is named, because it supersedes Failures", async () => {
    await using bench = await open();
    const { goal, made, claimed } = await scene(bench.board);
    const [sound, other] = [await made(), await made()];
    const own = nextVersion(other, []);
    await bench.board.createArtefact({ ...own, claim_id: "" }, user);
    for (const one of [goal, sound, other, own]) await claimed(one, "ended");
    const { named } = await bench.board.readOutline(goal.goal_id);
    expect([...named.keys()]).toEqual([goal.id, sound.id, own.id]);
  });

  test("one that was removed by hand is named", async () => {
    await using bench = await open();
    const { goal, made, claimed } = await scene(bench.board);
    const [sound, other] = [await made(), await made()];
    for (const one of [goal, sound, other]) await claimed(one, "ended");
    await bench.hand.removeArtefact(other.id);
    const { named } = await bench.board.readOutline(goal.goal_id);
    expect([...named.keys()]).toEqual([goal.id, sound.id, other.id]);
  });

  test("texts, sources, a commit and metadata of its maker's choice keep no artefact from being at rest", async () => {
    await using bench = await open();
    const { goal, made, claimed } = await scene(bench.board);
    const metadata = {
      summary: '🦡 "said"\n',
      commit: CommitHash.parse("a".repeat(40)),
      more: [{ deep: null }, 1.5],
      "": {},
    };
    const first = await made();
    const others = [
      await made({ metadata, type: 'Odd 🦡 "type"', payload: "" }),
      await made({ source_artefacts: [goal.id, first.id], created_at: "2026-12-31T23:59:59.999Z" }),
    ];
    for (const one of [goal, first, ...others]) await claimed(one as Artefact, "ended");
    const { named } = await bench.board.readOutline(goal.goal_id);
    expect([...named.keys()]).toEqual([goal.id, first.id]);
  });

  rarely("all of many artefacts are looked at, also where they have much metadata", async () => {
    await using bench = await open();
    const { goal, made } = await scene(bench.board);
    const large = { summary: "Said", more: "x".repeat(1_000_000) };
    await Promise.all(
      Array.from({ length: 6 }, () => made({ structural_type: "Review", metadata: large })),
    );
    await Promise.all(Array.from({ length: many }, () => made({ structural_type: "Review" })));
    const failure = await made({ structural_type: "Failure", type: "ToolFailed" });
    const { artefacts, claims, named } = await bench.board.readOutline(goal.goal_id);
    expect([artefacts, claims]).toEqual([many + 8, 0]);
    expect([[...named.keys()][0], [...named.keys()].at(-1)]).toEqual([goal.id, failure.id]);
    expect(named.size).toBeLessThan(20);
  });

  test("a goal that is not there has nothing", async () => {
    await using bench = await open();
    await postGoal(bench.board);
    expect(await bench.board.readOutline(newGoalId())).toEqual({
      artefacts: 0,
      claims: 0,
      named: new Map(),
    });
  });
}

/** A goal, what makes more of its artefacts, and what gives one of them a claim. */
async function scene(board: Blackboard) {
  const epoch = await acquireLeaderLease(board);
  const goal = await postGoal(board);
  const made = async (over: Partial<Artefact> = {}): Promise<Artefact> => {
    const artefact = sampleArtefact({
      goal_id: goal.goal_id,
      type: "Report",
      source_artefacts: [goal.id],
      ...over,
    });
    expect(await board.createArtefact(artefact, user)).toEqual({ outcome: "created" });
    return artefact;
  };
  const claimed = async (
    about: Artefact,
    state: "open" | "ended",
    cause = "standard",
  ): Promise<ClaimId> => {
    const claim = sampleClaim(about, state === "open" ? ["coder"] : []);
    await board.openClaim({ open: { claim, cause, grants: [] }, epoch, bidDeadlineMs: 60_000 });
    const set = { status: "terminated", bidding: "closed" } as const;
    if (state === "ended") await board.commitClaim(commitOf(claim.id, epoch, 0, { set }));
    return claim.id;
  };
  return { goal, made, claimed };
}

async function inTurn<Item, Result>(
  items: readonly Item[],
  make: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of items) results.push(await make(item));
  return results;
}
