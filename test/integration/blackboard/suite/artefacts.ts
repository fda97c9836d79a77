import { expect, test } from "bun:test";
import { fieldsOfArtefact } from "../../../../lib/blackboard/records/artefact-fields.ts";
import { digestOfRecord } from "../../../../lib/blackboard/records/artefact-record.ts";
import type { Artefact } from "../../../../lib/model/artefact.ts";
import { AgentName, CommitHash } from "../../../../lib/model/ids.ts";
import type { Bench } from "../../../support/blackboard/bench.ts";
import {
  acquireLeaderLease,
  at,
  events,
  postGoal,
  resultOf,
  user,
} from "../../../support/blackboard/scene.ts";
import {
  newArtefactId,
  newGoalId,
  newLogicalId,
  sampleArtefact,
  sampleClaim,
} from "../../../support/records/sample.ts";

const coder = AgentName.parse("coder");
const commitOf = (digit: string) => CommitHash.parse(digit.repeat(40));

export function artefactsSuite(open: () => Promise<Bench>): void {
  test("an artefact reads back as it was posted, byte for byte", async () => {
    await using bench = await open();
    const goal = await postGoal(bench.board);
    const artefact = sampleArtefact({
      goal_id: goal.goal_id,
      type: 'Odd 🦡 "type"',
      payload: '\r\n\t\u0000 é 🦡 "quotes" \\ [] {} \n',
      source_artefacts: [goal.id],
      metadata: { summary: "", empty: {}, none: [], big: 9007199254740991 },
    });
    expect(await bench.board.createArtefact(artefact, user)).toEqual({ outcome: "created" });
    expect(await bench.board.readArtefact(artefact.id)).toEqual(artefact);
    expect(await bench.board.readArtefacts([artefact.id, sampleArtefact().id, goal.id])).toEqual([
      artefact,
      goal,
    ]);
  });

  test("a posted artefact is in its thread, its goal and the log", async () => {
    await using bench = await open();
    const goal = await postGoal(bench.board);
    expect(await bench.board.listGoals()).toEqual([goal.goal_id]);
    expect(await bench.board.readThread(goal.logical_id)).toEqual([goal.id]);
    expect(await bench.board.listArtefactsOfGoal(goal.goal_id)).toEqual([goal.id]);
    expect(await bench.board.readGoal(goal.goal_id)).toEqual({
      ended: undefined,
      artefacts: 1,
      payer: "person:ada lovelace",
    });
    const [event] = await events(bench.board);
    expect(event).toMatchObject({
      type: "artefact_created",
      actor: user,
      goal_id: goal.goal_id,
      artefact_id: goal.id,
      data: { structural_type: "Standard", type: "GoalDefined", version: 1, role: "user" },
    });
    expect(event?.claim_id).toBeUndefined();
  });

  test("its event names the SHA-256 of its record, and a repeat keeps the record", async () => {
    await using bench = await open();
    const goal = await postGoal(bench.board);
    const record = await bench.board.readRecord(goal.id);
    await bench.board.createArtefact(goal, user);
    expect(await bench.board.readRecord(goal.id)).toBe(record);
    const bytes = Buffer.from(record ?? "", "base64");
    const sha256 = digestOfRecord(bytes);
    expect((await events(bench.board))[0]?.data?.sha256).toBe(sha256);
    expect(await bench.board.readWithDigest(goal.id)).toMatchObject({ sha256 });
    expect(JSON.parse(bytes.toString())).toEqual({
      salt: expect.stringMatching(/^[0-9a-f]{32}$/),
      ...fieldsOfArtefact(goal),
    });
    expect(await bench.board.readRecord(newArtefactId())).toBeUndefined();
  });

  test("posting the same artefact again changes nothing, also once its goal was ended", async () => {
    await using bench = await open();
    const epoch = await acquireLeaderLease(bench.board);
    const goal = await postGoal(bench.board);
    expect(await bench.board.createArtefact(goal, user)).toEqual({ outcome: "exists" });
    await bench.board.endGoal({ goal: goal.goal_id, ending: "cancelled", epoch });
    expect(await bench.board.createArtefact(goal, user)).toEqual({ outcome: "exists" });
    expect(await events(bench.board, "artefact_created")).toHaveLength(1);
    expect(await bench.board.readGoal(goal.goal_id)).toMatchObject({ artefacts: 1 });
  });

  test("a goal of which nothing is there, since Redis has lost it, is not ended, and can begin", async () => {
    await using bench = await open();
    const epoch = await acquireLeaderLease(bench.board);
    const goal = sampleArtefact();
    const order = { goal: goal.goal_id, ending: "cancelled", by: user, epoch } as const;
    expect(await bench.board.endGoal(order)).toEqual({ outcome: "none" });
    expect(await events(bench.board, "goal_ended")).toEqual([]);
    expect(await bench.board.createArtefact(goal, user)).toEqual({ outcome: "created" });
    expect(await bench.board.readGoal(goal.goal_id)).toMatchObject({ ended: undefined });
    expect(await bench.board.endGoal(order)).toEqual({ outcome: "ended" });
    const late = sampleArtefact({ goal_id: goal.goal_id });
    expect(await bench.board.createArtefact(late, user)).toMatchObject({ outcome: "refused" });
  });

  test("commits that artefacts have delivered are listed oldest first, without those that goals start from", async () => {
    await using bench = await open();
    const goal = sampleArtefact({ metadata: { commit: commitOf("0") } });
    await bench.board.createArtefact(goal, user);
    expect(await bench.board.listCommits()).toEqual([]);
    const results = ["1", "2"].map((digit) =>
      resultOf(goal, sampleClaim(goal, []), { metadata: { commit: commitOf(digit) } }),
    );
    const others = [{}, { commits: 3 }, { about: { commit: commitOf("3") } }].map((metadata) =>
      resultOf(goal, sampleClaim(goal, []), { metadata }),
    );
    for (const each of [...others, ...results]) await bench.board.createArtefact(each, user);
    expect(await bench.board.listCommits()).toEqual(
      results.map(({ id }, index) => ({
        artefact: id,
        commit: commitOf(`${index + 1}`),
        agent: coder,
      })),
    );
    await bench.hand.writeArtefact(results[0]?.id ?? goal.id, { metadata: "{" });
    expect(await bench.board.listCommits()).toEqual(
      results.slice(1).map(({ id }) => ({ artefact: id, commit: commitOf("2"), agent: coder })),
    );
  });

  test("a commit of an artefact that was written by hand is listed once that is taken in", async () => {
    await using bench = await open();
    const epoch = await acquireLeaderLease(bench.board);
    const goal = await postGoal(bench.board);
    const byHand = sampleArtefact({
      source_artefacts: [goal.id],
      goal_id: goal.goal_id,
      metadata: { commit: commitOf("1") },
    });
    await bench.hand.writeArtefact(byHand.id, fieldsOfArtefact(byHand));
    expect(await bench.board.listCommits()).toEqual([]);
    expect(await bench.board.adoptArtefact(byHand.id, epoch)).toEqual({ outcome: "adopted" });
    expect(await bench.board.listCommits()).toEqual([
      { artefact: byHand.id, commit: commitOf("1"), agent: "" },
    ]);
  });

  test("an artefact of a person names sources that are there, and of its goal", async () => {
    await using bench = await open();
    const [goal, other] = [await postGoal(bench.board), await postGoal(bench.board)];
    const missing = newArtefactId();
    const note = (source: Artefact["id"]) =>
      sampleArtefact({ type: "Note", goal_id: goal.goal_id, source_artefacts: [source] });
    for (const [source, reason] of [
      [missing, `Its source ${missing} is not on the blackboard.`],
      [other.id, `Its source ${other.id} is of goal ${other.goal_id}.`],
    ] as const)
      expect(await bench.board.createArtefact(note(source), user)).toEqual({
        outcome: "refused",
        reason,
      });
    expect(await bench.board.createArtefact(note(goal.id), user)).toEqual({ outcome: "created" });
  });

  test("a commit that a person writes into a stored artefact is not one that it has delivered", async () => {
    await using bench = await open();
    const goal = await postGoal(bench.board);
    const result = resultOf(goal, sampleClaim(goal, []));
    await bench.board.createArtefact(result, user);
    await bench.hand.writeArtefact(result.id, {
      metadata: JSON.stringify({ commit: commitOf("1") }),
    });
    expect(await bench.board.listCommits()).toEqual([]);
  });

  test("an id or a version of a thread is given once", async () => {
    await using bench = await open();
    const goal = await postGoal(bench.board);
    const usurper = await bench.board.createArtefact({ ...goal, payload: "another" }, user);
    expect(usurper).toMatchObject({ outcome: "refused", reason: expect.stringContaining(goal.id) });
    const twin = sampleArtefact({ logical_id: goal.logical_id, goal_id: goal.goal_id });
    expect(await bench.board.createArtefact(twin, user)).toMatchObject({ outcome: "refused" });
    expect(await bench.board.readArtefact(twin.id)).toBeUndefined();
    expect(await bench.board.readArtefact(goal.id)).toEqual(goal);
  });

  test("a thread grows version by version, and keeps its goal and its type", async () => {
    await using bench = await open();
    const goal = await postGoal(bench.board);
    const other = await postGoal(bench.board);
    const next = (version: number, over: Partial<Artefact> = {}) =>
      sampleArtefact({ logical_id: goal.logical_id, goal_id: goal.goal_id, version, ...over });
    const refusals: [Artefact, RegExp][] = [
      [next(3), /next version of thread .* is 2, not 3/],
      [next(2, { type: "Draft" }), /of the Standard type GoalDefined, and keeps it/],
      [next(2, { structural_type: "Terminal" }), /of the Standard type GoalDefined, and keeps it/],
      [next(2, { goal_id: other.goal_id }), new RegExp(`is of goal ${goal.goal_id}`)],
      [next(2, { logical_id: newLogicalId() }), /There is no thread/],
    ];
    for (const [artefact, reason] of refusals) {
      const answer = await bench.board.createArtefact(artefact, user);
      expect(answer).toEqual({ outcome: "refused", reason: expect.stringMatching(reason) });
      expect(await bench.board.readArtefact(artefact.id)).toBeUndefined();
    }
    const versions = Array.from({ length: 10 }, (_, index) => next(index + 2));
    for (const version of versions)
      expect(await bench.board.createArtefact(version, user)).toEqual({ outcome: "created" });
    expect(await bench.board.readThread(goal.logical_id)).toEqual(
      [goal, ...versions].map(({ id }) => id),
    );
    expect(await bench.board.listArtefactsOfGoal(other.goal_id)).toEqual([other.id]);
  });

  test("goals and their artefacts are listed in the order of creation, also within one millisecond", async () => {
    await using bench = await open();
    const goals = Array.from({ length: 30 }, () => sampleArtefact({ created_at: at }));
    await Promise.all(goals.map((goal) => bench.board.createArtefact(goal, user)));
    expect(await bench.board.listGoals()).toEqual(goals.map((goal) => goal.goal_id));
    const [goal] = goals;
    if (goal === undefined) throw new Error("There are 30.");
    const results = goals.map(() => resultOf(goal, sampleClaim(goal, [])));
    await Promise.all(results.map((result) => bench.board.createArtefact(result, user)));
    expect(await bench.board.listArtefactsOfGoal(goal.goal_id)).toEqual([
      goal.id,
      ...results.map((result) => result.id),
    ]);
  });

  test("goals and artefacts are counted, and listed page by page", async () => {
    await using bench = await open();
    const goals = Array.from({ length: 5 }, () => sampleArtefact());
    for (const goal of goals) await bench.board.createArtefact(goal, user);
    const [goal] = goals;
    if (goal === undefined) throw new Error("There are 5.");
    const result = resultOf(goal, sampleClaim(goal, []));
    await bench.board.createArtefact(result, user);
    const ids = [...goals, result].map(({ id }) => id);
    expect([await bench.board.countGoals(), await bench.board.countArtefacts()]).toEqual([5, 6]);
    expect(await bench.board.listArtefacts({ from: 0, count: 4 })).toEqual(ids.slice(0, 4));
    expect(await bench.board.listArtefacts({ from: 4, count: 4 })).toEqual(ids.slice(4));
    expect(await bench.board.listArtefacts({ from: 6, count: 4 })).toEqual([]);
    expect(await bench.board.listArtefacts({ from: 0, count: 0 })).toEqual([]);
    expect(await bench.board.listGoals({ from: 3, count: 2 })).toEqual(
      goals.slice(3).map((one) => one.goal_id),
    );
    expect(await bench.board.listArtefactsOfGoal(goal.goal_id, { from: 1, count: 9 })).toEqual([
      result.id,
    ]);
  });

  test("artefacts are found by how their ids begin", async () => {
    await using bench = await open();
    const goals = Array.from({ length: 40 }, () => sampleArtefact());
    for (const goal of goals) await bench.board.createArtefact(goal, user);
    const [goal] = goals;
    if (goal === undefined) throw new Error("There are 40.");
    expect(await bench.board.findArtefacts(goal.id.slice(0, 12))).toEqual([goal.id]);
    expect(await bench.board.findArtefacts(goal.id)).toEqual([goal.id]);
    const alike = goals.map(({ id }) => id).filter((id) => id.startsWith(goal.id.slice(0, 1)));
    expect((await bench.board.findArtefacts(goal.id.slice(0, 1))).toSorted()).toEqual(
      alike.toSorted(),
    );
    expect(await bench.board.findArtefacts("no id")).toEqual([]);
    // The beginning is text, and no pattern.
    for (const pattern of ["*", "?", "[0-9a-f]", `${goal.id.slice(0, 4)}*`, "\\"])
      expect(await bench.board.findArtefacts(pattern)).toEqual([]);
  });

  test("an ended goal takes no more artefacts but the Failure that explains its end", async () => {
    await using bench = await open();
    const epoch = await acquireLeaderLease(bench.board);
    const goal = await postGoal(bench.board);
    const failure = sampleArtefact({
      structural_type: "Failure",
      type: "ArtefactLimit",
      goal_id: goal.goal_id,
    });
    const order = { goal: goal.goal_id, ending: "artefact_limit", failure, epoch } as const;
    expect(await bench.board.endGoal({ ...order, epoch: epoch + 1 })).toEqual({
      outcome: "fenced",
    });
    expect(await bench.board.endGoal(order)).toEqual({ outcome: "ended" });
    expect(await bench.board.endGoal(order)).toEqual({ outcome: "already" });
    expect(await bench.board.readGoal(goal.goal_id)).toEqual({
      ended: "artefact_limit",
      artefacts: 2,
      payer: "person:ada lovelace",
    });
    const late = sampleArtefact({ goal_id: goal.goal_id });
    expect(await bench.board.createArtefact(late, user)).toMatchObject({ outcome: "refused" });
    const types = (await events(bench.board)).map((event) => event.type);
    expect(types).toEqual([
      "orchestrator_started",
      "artefact_created",
      "artefact_created",
      "goal_ended",
    ]);
  });

  test("an unknown goal has not ended and holds nothing", async () => {
    await using bench = await open();
    expect(await bench.board.readGoal(newGoalId())).toEqual({ ended: undefined, artefacts: 0 });
  });
}

export function largePayloadSuite(open: () => Promise<Bench>): void {
  test("a payload of 16 MiB is stored and read", async () => {
    await using bench = await open();
    const goal = sampleArtefact({ payload: "é".repeat(8 * 1024 * 1024) });
    await bench.board.createArtefact(goal, user);
    expect((await bench.board.readArtefact(goal.id))?.payload === goal.payload).toBe(true);
  });
}
