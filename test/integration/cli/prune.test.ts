// Moving goals that are over into a file, and reading it.
import { afterEach, beforeEach, expect, test } from "bun:test";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { noteWaitingGoals } from "../../../apps/cli/instance/retention.ts";
import { chooseGoals } from "../../../apps/cli/prune/choose.ts";
import { moveGoals } from "../../../apps/cli/prune/move.ts";
import type { Blackboard } from "../../../lib/blackboard/port/blackboard.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import { CommitHash } from "../../../lib/model/ids.ts";
import {
  acquireLeaderLease,
  commitOf,
  openStandard,
  resultOf,
} from "../../support/blackboard/scene.ts";
import { fakeShell } from "../../support/cli/fake-shell.ts";
import { Workspace } from "../../support/cli/workspace.ts";
import { nightly } from "../../support/nightly.ts";
import { newArtefactId, sampleArtefact, sampleClaim } from "../../support/records/sample.ts";

const ada = "person:Ada";
let at: Workspace;
let board: Blackboard;
let epoch: number;

beforeEach(async () => {
  at = await Workspace.create();
  board = await at.board();
  epoch = await acquireLeaderLease(board);
}, 120_000);

afterEach(async () => {
  await board[Symbol.asyncDispose]();
  await at[Symbol.asyncDispose]();
});

/** A goal that is achieved: one claim, one Terminal. */
async function achieved(over: Partial<Artefact> = {}, ofResult: Partial<Artefact> = {}) {
  const goal = sampleArtefact({ metadata: { summary: "A goal" }, ...over });
  await board.createArtefact(goal, ada);
  const claim = sampleClaim(goal, []);
  await openStandard(board, claim, epoch);
  const result = resultOf(goal, claim, {
    structural_type: "Terminal",
    type: "Done",
    payload: "é\n\u2028🦡",
    ...ofResult,
  });
  await board.createArtefact(result, "agent:coder");
  const set = { status: "complete", bidding: "closed" } as const;
  const about = { goal_id: goal.goal_id, claim_id: claim.id, artefact_id: goal.id };
  await board.commitClaim(
    commitOf(claim.id, epoch, 0, { set, events: [{ type: "claim_completed", ...about }] }),
  );
  return { goal, claim, result };
}

/** As the orchestrator does once it has acted on everything. */
async function catchUp() {
  await board.moveCursor(epoch, await board.endOfEvents());
}

const pruneAll = ["prune", "--before", "0s", "--to", "old.jsonl"];
const inFile = async (file = "old.jsonl") =>
  JSON.parse(await at.need("hoard", "--archive", file, "--json")) as Artefact[];

test("commits of goals that are moved are fetched before their record is removed", async () => {
  const commit = CommitHash.parse(await at.git("rev-parse", "HEAD"));
  const { goal, result } = await achieved({}, { metadata: { commit } });
  // The goal was posted on it.
  await at.git("update-ref", `refs/sett/demo/${goal.id}`, commit);
  await catchUp();
  await at.need(...pruneAll);
  expect(await board.listCommits()).toEqual([]);
  expect(await at.git("rev-parse", `refs/sett/demo/${result.id}`)).toBe(commit);
});

test("goals that are over are moved into a file with all that belongs to them, and what is open stays", async () => {
  const { goal, claim, result } = await achieved();
  const open = sampleArtefact();
  await board.createArtefact(open, ada);
  await catchUp();
  const before = await board.readEvents("0", 100);
  const { code, err } = await at.sett(...pruneAll, "--as", "Grace");
  expect({ code, err }).toMatchObject({ code: 0 });
  expect(err).toMatch(
    /Moved 1 goal with 2 artefacts \(\d+ bytes\) and 4 events to .*old\.jsonl \(sha256 [0-9a-f]{64}\)/,
  );

  expect(await board.listGoals()).toEqual([open.goal_id]);
  expect(await board.listArtefacts({ from: 0, count: 10 })).toEqual([open.id]);
  expect(await board.readClaim(claim.id)).toBeUndefined();
  const after = await board.readEvents("0", 100);
  expect(after.filter(({ goal_id }) => goal_id === goal.goal_id)).toEqual([]);
  const [pruned] = after.filter(({ type }) => type === "goals_pruned");
  expect(pruned).toMatchObject({
    actor: "person:Grace",
    data: { file: "old.jsonl", goals: 1, artefacts: 2, events: 4 },
  });
  expect(err).toContain(String(pruned?.data?.sha256));
  // Nothing of the log is lost: what is not in it is in the file.
  const lines = (await readFile(join(at.folder, "old.jsonl"), "utf8")).trim().split("\n");
  const archived = lines.map((line) => JSON.parse(line));
  const events = archived.flatMap((line) => line.event ?? []);
  expect(
    [...events, ...after.filter(({ type }) => type !== "goals_pruned")]
      .map(({ id }) => id)
      .toSorted(),
  ).toEqual(before.map(({ id }) => id).toSorted());
  expect(archived.find((line) => "claim" in line)).toMatchObject({
    claim: { id: claim.id, status: "complete" },
    cause: "standard",
  });
  expect(await inFile()).toEqual([goal, result]);
  expect(await at.need("watch", "--no-follow")).toContain("moves 1 goals to old.jsonl");
}, 120_000);

test("an archive is read without a sett: as a table, by type, and one artefact in full", async () => {
  const { goal, result } = await achieved();
  await catchUp();
  await at.need(...pruneAll);
  await at.redis.stop();
  const table = await at.need("hoard", "--archive", "old.jsonl");
  expect(table).toMatch(
    new RegExp(`^ID .*\n${goal.id.slice(0, 8)} .* A goal\n${result.id.slice(0, 8)} +Done .*\n$`),
  );
  expect(
    await at.need("hoard", "--archive", "old.jsonl", "--type", "Done", "--limit", "1"),
  ).not.toContain("A goal");
  const details = await at.need("hoard", result.id.slice(0, 8), "--archive", "old.jsonl");
  expect(details).toContain(`id       ${result.id}`);
  // A bar in front of each row of what an agent has written.
  expect(details).toEndWith("\n  │ é\n  │ �🦡\n");
  expect(JSON.parse(await at.need("hoard", result.id, "--archive", "old.jsonl", "--json"))).toEqual(
    result,
  );
  expect(await at.sett("hoard", newArtefactId(), "--archive", "old.jsonl")).toMatchObject({
    code: 1,
  });
  const missing = { code: 1, err: expect.stringMatching(/There is no file .*nosuch\.jsonl\./) };
  expect(await at.sett("hoard", "--archive", "nosuch.jsonl")).toMatchObject(missing);
}, 120_000);

nightly(
  "a dry run says what would be moved, and moves nothing",
  async () => {
    const { goal } = await achieved();
    await catchUp();
    const { code, err } = await at.sett("prune", "--before", "0s", "--dry-run");
    expect([code, err]).toEqual([0, expect.stringMatching(/Would move 1 goal with 2 artefacts/)]);
    const json = JSON.parse(await at.need("prune", "--before", "0s", "--dry-run", "--json"));
    expect(json).toMatchObject({
      dry_run: true,
      file: null,
      goals: [{ id: goal.id, state: "achieved", artefacts: 2, events: 4 }],
    });
    expect(await readdir(at.folder)).not.toContainEqual(expect.stringMatching(/jsonl/));
    expect(await board.listGoals()).toEqual([goal.goal_id]);
  },
  120_000,
);

nightly(
  "what has moved since then stays, and so does what the orchestrator has not acted on yet",
  async () => {
    await achieved();
    await catchUp();
    const { err } = await at.sett("prune", "--before", "1h");
    expect(err).toContain("There is nothing to move");
    await achieved();
    const json = JSON.parse(await at.need("prune", "--before", "0s", "--dry-run", "--json"));
    expect(json.goals).toHaveLength(1);
  },
  120_000,
);

nightly(
  "what goals that stay refer to stays, and what that refers to",
  async () => {
    const first = await achieved();
    const second = await achieved({ source_artefacts: [first.result.id] });
    const free = await achieved();
    const open = sampleArtefact({ source_artefacts: [second.result.id] });
    await board.createArtefact(open, ada);
    await catchUp();
    const { code, err } = await at.sett(...pruneAll);
    expect(code).toBe(0);
    expect(err).toContain("2 more goals stay, because goals that stay refer to them.");
    expect(await board.listGoals()).toEqual([
      first.goal.goal_id,
      second.goal.goal_id,
      open.goal_id,
    ]);
    expect(await inFile()).toEqual([free.goal, free.result]);
  },
  120_000,
);

test("where the file cannot be written nothing is removed, and goals go on as before", async () => {
  const { goal } = await achieved();
  await catchUp();
  await writeFile(join(at.folder, "old.jsonl"), "mine");
  for (const [file, why] of [
    ["old.jsonl", "old.jsonl exists already, and sett does not overwrite it."],
    ["no/such/folder/old.jsonl", "could not be created"],
  ] as const) {
    const { code, err } = await at.sett("prune", "--before", "0s", "--to", file);
    expect([code, err]).toEqual([1, expect.stringContaining(why)]);
    expect(err).toContain("--to");
  }
  expect(await readFile(join(at.folder, "old.jsonl"), "utf8")).toBe("mine");
  expect(await board.isRetired(goal.goal_id)).toBe(false);
  expect(await board.readGoal(goal.goal_id)).toMatchObject({ artefacts: 2 });
}, 120_000);

test("a goal that moves after it was chosen stays", async () => {
  const { goal } = await achieved();
  const still = await achieved();
  await catchUp();
  const { goals } = await chooseGoals(board, Date.now() + 1_000);
  await board.createArtefact(sampleArtefact({ goal_id: goal.goal_id }), ada);
  const moved = await moveGoals(board, goals, orderTo("old.jsonl"));
  expect(moved.goals.map(({ id }) => id)).toEqual([still.goal.goal_id]);
  expect(await board.readGoal(goal.goal_id)).toMatchObject({ artefacts: 3 });
}, 120_000);

test("where a notary seals the log, a goal stays until all of its events are sealed", async () => {
  const made = [await achieved(), await achieved()];
  await catchUp();
  const places = (await board.readEvents("0", 100))
    .filter(({ goal_id }) => goal_id === made[1]?.goal.goal_id)
    .map(({ id }) => id);
  const chosen = async (sealed: string | undefined) =>
    (await chooseGoals(board, Date.now() + 1_000, sealed)).goals.map(({ id }) => id);
  const ids = made.map(({ goal }) => goal.goal_id);
  expect(await chosen("0")).toEqual([]);
  expect(await chosen(places.at(-2))).toEqual(ids.slice(0, 1));
  expect(await chosen(places.at(-1))).toEqual(ids);
  // Nothing that comes after what is sealed goes with them.
  const { goals } = await chooseGoals(board, Date.now() + 1_000, places.at(-1));
  const late = { type: "result_refused", goal_id: made[0]?.goal.goal_id } as const;
  await board.logEvent(late, "agent:coder");
  await moveGoals(board, goals, { ...orderTo("old.jsonl"), sealed: places.at(-1) });
  expect(await board.listGoals()).toEqual([]);
  expect((await board.readEvents("0", 100)).filter(({ goal_id }) => goal_id)).toMatchObject([late]);
}, 120_000);

nightly.each(["removeEvents", "removeOfGoal"] as const)(
  "interrupted at %s, the next run finishes, and nothing is lost",
  async (where) => {
    const made = [await achieved(), await achieved()];
    await catchUp();
    const before = await board.readEvents("0", 100);
    const { goals } = await chooseGoals(board, Date.now() + 1_000);
    let calls = 0;
    const failing: Blackboard = {
      ...board,
      [where]: async (...words: never[]) => {
        calls += 1;
        // A piece of the first goal is removed before the end comes.
        if (where === "removeOfGoal" && calls === 1)
          return board.removeOfGoal(words[0] as never, 1);
        throw new Error("The machine is gone.");
      },
    };
    await expect(moveGoals(failing, goals, orderTo("first.jsonl"))).rejects.toThrow(
      "The machine is gone.",
    );
    expect((await board.readGoal(goals[0]?.id as never)).archived?.state).toBe("achieved");
    expect(await at.need("status")).not.toContain("stalled");
    await at.need("prune", "--before", "52w", "--to", "second.jsonl");
    // The first file has all of them.
    expect(await readdir(at.folder)).not.toContain("second.jsonl");
    expect(await board.listGoals()).toEqual([]);
    expect(await board.countArtefacts()).toBe(0);
    expect(await inFile("first.jsonl")).toEqual(made.flatMap(({ goal, result }) => [goal, result]));
    const text = await readFile(join(at.folder, "first.jsonl"), "utf8");
    const kept = new Set((await board.readEvents("0", 100)).map(({ id }) => id));
    for (const { id } of before) expect(kept.has(id) || text.includes(id)).toBe(true);
  },
  120_000,
);

nightly(
  "a Redis that is full is read, and made room in",
  async () => {
    const { goal, result } = await achieved();
    await catchUp();
    await at.redis.cli("CONFIG", "SET", "maxmemory", "1mb");
    expect(await at.need("hoard")).toContain(result.id.slice(0, 8));
    await at.need(...pruneAll);
    expect(await board.listGoals()).toEqual([]);
    expect(await inFile()).toEqual([goal, result]);
  },
  120_000,
);

nightly(
  "an archive that was changed or cut is not taken for whole",
  async () => {
    await achieved();
    await catchUp();
    await at.need(...pruneAll);
    const path = join(at.folder, "old.jsonl");
    const text = await readFile(path, "utf8");
    for (const [damaged, why] of [
      [text.replace("A goal", "A coal"), "its content does not match its last line"],
      [text.split("\n").slice(0, -2).join("\n"), "its last line is missing"],
      ["{}\n", "is not an archive"],
      ["", "is empty"],
    ] as const) {
      await writeFile(path, damaged);
      expect(await at.sett("hoard", "--archive", "old.jsonl")).toMatchObject({
        code: 1,
        err: expect.stringContaining(why),
      });
    }
  },
  120_000,
);

test("--before is needed, and is a time ago or a date", async () => {
  for (const words of [[], ["--before", "soon"], ["--before", "30"]])
    expect(await at.sett("prune", ...words)).toMatchObject({
      code: 2,
      err: expect.stringContaining("--before 30d"),
    });
}, 120_000);

function orderTo(file: string) {
  const now = new Date().toISOString();
  const header = {
    sett_archive: 1 as const,
    instance: "demo",
    version: "0.0.0",
    created_at: now,
    before: now,
  };
  return {
    path: join(at.folder, file),
    header,
    actor: ada,
    file,
    signal: new AbortController().signal,
  };
}

test("without --before, `retention.goals` of sett.yml says which goals are moved, and --dry-run what the instance removes", async () => {
  const none = await at.sett("prune");
  expect([none.code, none.err]).toEqual([2, expect.stringContaining("--before is missing")]);
  await writeFile(
    join(at.folder, "sett.yml"),
    "version: '1.0'\nagents: { a: { external: true } }\nretention: { goals: 90d, transcripts: 30d, other_events: 30d }\n",
  );
  await achieved();
  await catchUp();
  const dry = await at.sett("prune", "--dry-run");
  expect(dry.code).toBe(0);
  expect(dry.err).toContain("The orchestrator removes 0 events of no goal, older than 30 days.");
  expect(dry.err).toContain("The gateway removes the bodies of calls that are older than 30 days.");
  const { before, goals } = JSON.parse(await at.need("prune", "--json"));
  expect(goals).toEqual([]);
  expect(Date.now() - Date.parse(before)).toBeWithin(89 * 86_400_000, 91 * 86_400_000);
});

test("`sett up` and `sett doctor` remind of goals that `retention.goals` lets go, as long as they are not moved", async () => {
  const sentence = "ended more than 90 days ago";
  const old = { created_at: new Date(Date.now() - 100 * 86_400_000).toISOString() };
  await achieved(old, old);
  await achieved();
  const doctor = async () => (await at.sett("doctor")).out;
  expect(await doctor()).not.toContain(sentence);
  await writeFile(
    join(at.folder, "sett.yml"),
    "version: '1.0'\nagents: { a: { external: true } }\nretention: { goals: 90d }\n",
  );
  const reminded = await doctor();
  expect(reminded).toContain(`1 goal has ${sentence}`);
  expect(reminded).toContain("`sett prune`");
  const up = async (goals_ms: number | undefined) => {
    const shell = { ...fakeShell(), env: at.env, cwd: at.folder };
    await noteWaitingGoals(board.instance, { goals_ms }, shell);
    return shell.written.err;
  };
  expect(await up(90 * 86_400_000)).toContain(
    `1 goal has ${sentence} (\`retention.goals\`): \`sett prune\` moves them`,
  );
  expect([await up(200 * 86_400_000), await up(undefined)]).toEqual(["", ""]);
  await catchUp();
  await at.need(...pruneAll);
  expect([await doctor(), await up(90 * 86_400_000)]).toEqual([
    expect.not.stringContaining(sentence),
    "",
  ]);
});
