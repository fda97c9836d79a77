// A password of Redis is enough to write over a record. No person reads, approves or archives one
// without a word about it.
import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Artefact } from "../../../lib/model/artefact.ts";
import type { ToolInput } from "../../../lib/model/tool-contract.ts";
import {
  acquireLeaderLease,
  commitOf,
  openStandard,
  resultOf,
} from "../../support/blackboard/scene.ts";
import { bids, report, Sett } from "../../support/cli/sett.ts";
import { Workspace } from "../../support/cli/workspace.ts";
import { nightly } from "../../support/nightly.ts";
import { derived } from "../../support/records/lineage.ts";
import { sampleArtefact, sampleClaim } from "../../support/records/sample.ts";
import { waitFor } from "../../support/wait-for.ts";

const overwritten = "overwritten by hand";
const key = (id: string) => `sett:demo:artifact:${id}`;
let at: Workspace;
let [goal, sound, forged, broken, gone, bare, typed, bereft]: Artefact[] = [];
const unreadable = () => [broken, gone, bare, typed];

beforeAll(async () => {
  at = await Workspace.create();
  await using board = await at.board();
  goal = sampleArtefact({ metadata: { summary: "Paint the door" } });
  const types = ["Sound", "Forged", "Broken", "Gone", "Bare", "Typed", "Bereft"];
  [sound, forged, broken, gone, bare, typed, bereft] = types.map((type) =>
    derived(goal === undefined ? [] : [goal], {
      type,
      payload: "green",
      metadata: { summary: `${type} work` },
    }),
  );
  for (const one of [goal, sound, forged, broken, gone, bare, typed, bereft])
    if (one !== undefined) await board.createArtefact(one, "hand");
  await at.redis.cli(
    "HSET",
    key(forged?.id ?? ""),
    "payload",
    "amber",
    "metadata",
    '{"summary":"Approved by all"}',
  );
  await at.redis.cli("HSET", key(broken?.id ?? ""), "source_artefacts", "[");
  await at.redis.cli("DEL", key(gone?.id ?? ""));
  await at.redis.cli("HDEL", key(bare?.id ?? ""), "type");
  await at.redis.cli("DEL", key(typed?.id ?? ""));
  await at.redis.cli("SET", key(typed?.id ?? ""), "no hash");
  // Its digest is gone, too.
  await at.redis.cli("HSET", key(bereft?.id ?? ""), "payload", "amber");
  await at.redis.cli("HDEL", "sett:demo:artefacts:digests", bereft?.id ?? "");
}, 120_000);

afterAll(() => at[Symbol.asyncDispose]());

const short = (one: Artefact | undefined) => one?.id.slice(0, 8) ?? "";

test("hoard lists what can be read, marks what was overwritten, and names what is damaged", async () => {
  const { code, out, err } = await at.sett("hoard");
  expect(code).toBe(0);
  expect(out.split("\n").find((line) => line.startsWith(short(sound)))).toContain("Sound work");
  const line = out.split("\n").find((each) => each.startsWith(short(forged)));
  expect(line).toContain(overwritten);
  expect(line).not.toContain("Approved by all");
  for (const one of [forged, bereft, ...unreadable()]) expect(err).toContain(short(one));
  expect(err).toContain(`Artefacts ${unreadable().map(short).join(", ")} cannot be shown`);
  expect(err).not.toContain(short(sound));
});

test("hoard --json has all that can be read, and says of each what was overwritten", async () => {
  const { code, out, err } = await at.sett("hoard", "--json");
  expect(code).toBe(0);
  const all: (Artefact & { overwritten?: true })[] = JSON.parse(out);
  expect(all.map(({ id }) => id)).toEqual(
    [goal, sound, forged, bereft].map((one) => one?.id ?? "") as (typeof all)[number]["id"][],
  );
  expect(all.map((one) => one.overwritten)).toEqual([undefined, undefined, true, true]);
  expect(err).toContain(short(broken));
});

test("unearth says so, and shows nothing of what is gone", async () => {
  const shown = await at.sett("unearth", forged?.id ?? "");
  expect([shown.code, shown.err]).toEqual([0, expect.stringContaining(overwritten)]);
  expect(JSON.parse(await at.need("unearth", forged?.id ?? "", "--json"))).toMatchObject({
    overwritten: true,
  });
  const fine = await at.sett("unearth", sound?.id ?? "");
  expect(fine.err).not.toContain(overwritten);
  const missing = await at.sett("unearth", gone?.id ?? "");
  expect([missing.code, missing.err]).toEqual([
    1,
    expect.stringContaining("cannot be shown: its record, or a field of it, was changed by hand"),
  ]);
  const lacking = await at.sett("unearth", bare?.id ?? "");
  expect([lacking.code, lacking.err]).toEqual([
    1,
    expect.stringContaining("cannot be shown: its record, or a field of it"),
  ]);
  const damaged = await at.sett("hoard", broken?.id ?? "");
  expect([damaged.code, damaged.err]).toEqual([1, expect.stringContaining("is malformed")]);
});

test("status names what cannot be read below its goal, also as data, and says what can be done", async () => {
  const { code, out } = await at.sett("status");
  expect(code).toBe(0);
  expect(out).toContain(`Artefacts ${unreadable().map(short).join(", ")} cannot be shown`);
  expect(out).toContain("sett doctor");
  const [shown] = JSON.parse(await at.need("status", "--json")).goals;
  expect(shown.unreadable).toEqual(unreadable().map((one) => one?.id));
});

test("status shows no words of a goal or a failure that was overwritten, and says which it was", async () => {
  await using clan = await Sett.start(at, {
    writer: { ...bids({ on: "GoalDefined", bid: "exclusive" }), tool: askOrFail },
  });
  const posted = await clan.goal("Fail");
  const failure = await clan.made(posted, (made) => made.structural_type === "Failure");
  await waitFor("the goal to fail", async () => (await clan.need("status")).includes("failed"));
  const json = async () => JSON.parse(await clan.need("status", "--json")).goals;
  expect(await json()).toMatchObject([{ state: "failed", overwritten: [] }]);
  for (const { id } of [posted, failure])
    await at.redis.cli(
      ...["HSET", `sett:${clan.instance}:artifact:${id}`, "metadata"],
      '{"summary":"Approved by all"}',
    );
  for (const words of [[], ["--goal", posted.id]]) {
    const out = await clan.need("status", ...words);
    expect(out).not.toContain("Approved by all");
    expect(out).toContain(`Artefacts were ${overwritten}`);
    expect(out).toContain(`by \`writer\`: ${overwritten}`);
    expect(out).toContain("sett doctor");
  }
  expect(await json()).toMatchObject([{ overwritten: [posted.id, failure.id] }]);
}, 120_000);

test("watch marks what was overwritten, and has none of its words", async () => {
  const log = await at.need("watch", "--no-follow");
  const lines = log.split("\n");
  const ofForged = lines.filter((line) => line.includes("Forged"));
  expect(ofForged).toEqual([expect.stringContaining(`, ${overwritten}`)]);
  expect(log).not.toContain("Approved by all");
  expect(lines.find((line) => line.includes("Sound"))).toMatch(/Sound.*“Sound work”$/);
});

test("graph marks it, and draws the rest where one is damaged", async () => {
  const drawn = await at.need("graph", goal?.id ?? "", "--format", "tree");
  expect(drawn).toContain(`Forged (${overwritten})`);
  expect(drawn).toContain("Sound ");
  expect(drawn).not.toContain(`Sound (${overwritten})`);
  const { err } = await at.sett("graph", goal?.id ?? "");
  expect(err).toContain(`Artefacts ${unreadable().map(short).join(", ")} cannot be shown`);
});

test("doctor counts what was overwritten, and events that were deleted", async () => {
  const before = JSON.parse((await at.sett("doctor", "--json")).out);
  const about = (findings: { check: string; subject: string }[], check: string) =>
    findings.find((finding) => finding.subject === "record" && finding.check === check);
  expect(about(before.findings, "artefacts")).toMatchObject({
    level: "problem",
    found: expect.stringContaining(short(gone)),
  });
  expect(about(before.findings, "log")).toMatchObject({ level: "ok" });
  await using board = await at.board();
  const [event] = await board.readEvents("0", 1);
  await at.redis.cli("XDEL", "sett:demo:events", event?.id ?? "");
  const after = JSON.parse((await at.sett("doctor", "--json")).out);
  expect(about(after.findings, "log")).toMatchObject({
    level: "problem",
    found: "1 event was deleted by hand",
  });
});

test("doctor names what was taken off the list of all artefacts, or off that of its goal", async () => {
  const lists = ["sett:demo:artefacts", `sett:demo:goal:${goal?.id}:artefacts`];
  const found = async () =>
    JSON.parse((await at.sett("doctor", "--json")).out).findings.find(
      ({ check }: { check: string }) => check === "lists",
    )?.found;
  expect(await found()).toBeUndefined();
  for (const list of lists) {
    const place = (await at.redis.cli("ZSCORE", list, sound?.id ?? "")).trim();
    await at.redis.cli("ZREM", list, sound?.id ?? "");
    expect(await found()).toBe(`taken off a list by hand: ${short(sound)}`);
    await at.redis.cli("ZADD", list, place, sound?.id ?? "");
  }
  expect(await found()).toBeUndefined();
});

nightly(
  "prune leaves a goal in which something was overwritten, says so, and moves the others",
  async () => {
    await using board = await at.board();
    const epoch = await acquireLeaderLease(board);
    const ended = async () => {
      const begun = sampleArtefact({ metadata: { summary: "A goal" } });
      await board.createArtefact(begun, "person:Ada");
      const claim = sampleClaim(begun, []);
      await openStandard(board, claim, epoch);
      const result = resultOf(begun, claim, { structural_type: "Terminal", type: "Done" });
      await board.createArtefact(result, "agent:coder");
      await board.commitClaim(
        commitOf(claim.id, epoch, 0, { set: { status: "complete", bidding: "closed" } }),
      );
      return { begun, result };
    };
    const [one, other, third] = [await ended(), await ended(), await ended()];
    await at.redis.cli("HSET", key(one.result.id), "produced_by_agent", "mallory");
    await at.redis.cli("HSET", key(other.result.id), "version", "x");
    await board.moveCursor(epoch, await board.endOfEvents());
    const { code, out, err } = await at.sett(
      "prune",
      "--before",
      "0s",
      "--to",
      "old.jsonl",
      "--json",
    );
    expect({ code, err }).toMatchObject({ code: 0 });
    const { goals, damaged } = JSON.parse(out);
    expect(goals.map(({ id }: { id: string }) => id)).toEqual([third.begun.id]);
    const stayed = (damaged as { id: string; artefacts: string[] }[]).flatMap(
      ({ artefacts }) => artefacts,
    );
    expect(stayed).toEqual(expect.arrayContaining([one.result.id, other.result.id]));
    const dry = await at.sett("prune", "--before", "0s", "--dry-run");
    expect(dry.err).toContain("were overwritten by hand");
    expect(dry.err).toContain("`sett doctor` lists what was changed by hand");
    expect(await board.listGoals()).toEqual(
      expect.arrayContaining([one.begun.goal_id, other.begun.goal_id]),
    );
  },
);

nightly(
  "what was overwritten while a person was asked is marked, and cannot be approved",
  async () => {
    await using clan = await Sett.start(at, {
      writer: { ...bids({ on: "GoalDefined", bid: "exclusive" }), tool: () => report("Draft") },
      maintainer: { human: true, role: "owner", ...bids({ on: "Draft", bid: "review" }) },
    });
    const draft = await clan.made(await clan.goal(), (made) => made.type === "Draft");
    await clan.grant(draft, "maintainer", "waiting");
    await at.redis.cli("HSET", `sett:${clan.instance}:artifact:${draft.id}`, "payload", "other");
    expect(await clan.need("questions")).toContain(overwritten);
    expect(JSON.parse(await clan.need("questions", "--json"))).toMatchObject([
      { id: draft.id, overwritten: true },
    ]);
    expect(await clan.need("status")).not.toContain(`sett approve ${short(draft)}`);
    const { code, err } = await clan.sett("approve", draft.id);
    expect([code, err]).toEqual([1, expect.stringContaining("overwritten by hand")]);
    // The next step is to put it back, or to end the goal.
    for (const words of [["approve"], ["reject", "--reason", "It is red"]]) {
      const [command = "", ...rest] = words;
      const refused = await clan.sett(command, draft.id, ...rest);
      expect(refused.code).toBe(1);
      expect(refused.err).toContain("Nothing was done.");
      expect(refused.err).toContain(`sett cancel ${draft.goal_id.slice(0, 8)}`);
    }
    await at.redis.cli("HDEL", `sett:${clan.instance}:artifact:${draft.id}`, "version");
    const lacking = await clan.sett("reject", draft.id, "--reason", "It is red");
    expect([lacking.code, lacking.err]).toEqual([
      1,
      expect.stringContaining("cannot be shown: its record, or a field of it"),
    ]);
    await clan.need("cancel", draft.goal_id);
  },
  120_000,
);

const askOrFail = ({ target_artefact }: ToolInput) =>
  target_artefact.payload === "Fail"
    ? { structural_type: "Failure", payload: "It cannot be done." }
    : { structural_type: "Question", payload: "Which colour?" };

test("a question and a Failure that were overwritten are neither answered nor retried, and the refusal says what to do", async () => {
  await using clan = await Sett.start(at, {
    writer: { ...bids({ on: "GoalDefined", bid: "exclusive" }), tool: askOrFail },
    lead: { human: true, role: "owner" },
  });
  const question = await clan.made(
    await clan.goal(),
    (made) => made.structural_type === "Question",
  );
  await at.redis.cli("HSET", `sett:${clan.instance}:artifact:${question.id}`, "payload", "May I?");
  const { code, err } = await clan.sett("answer", question.id, "yes");
  expect([code, err]).toEqual([
    1,
    expect.stringContaining(`sett cancel ${question.goal_id.slice(0, 8)}`),
  ]);
  expect(await clan.board.answersOf([question.id])).toEqual([undefined]);
  // None of the commands that are offered is refused.
  for (const words of [["status"], ["questions"]]) {
    const shown = await clan.sett(...words);
    expect(shown.out + shown.err).toContain(`sett cancel ${question.goal_id.slice(0, 8)}`);
    expect(shown.out + shown.err).not.toContain(`sett answer ${short(question)}`);
  }
  await clan.need("cancel", question.goal_id);
  const failure = await clan.made(
    await clan.goal("Fail"),
    (made) => made.structural_type === "Failure",
  );
  await at.redis.cli("HSET", `sett:${clan.instance}:artifact:${failure.id}`, "claim_id", "");
  const retried = await clan.sett("retry", failure.id);
  expect([retried.code, retried.err]).toEqual([1, expect.stringContaining("Nothing was done.")]);
}, 120_000);

test("hoard marks one whose beginning, which it shows in place of a summary, was overwritten", async () => {
  await using board = await at.board();
  const long = sampleArtefact({ payload: "green ".repeat(1_000), metadata: {} });
  await board.createArtefact(long, "hand");
  const row = async () =>
    (await at.need("hoard")).split("\n").find((each) => each.startsWith(short(long)));
  expect(await row()).toContain("green green");
  await at.redis.cli("HSET", key(long.id), "beginning", "Approved by all");
  expect(await row()).toContain(overwritten);
  expect(await row()).not.toContain("Approved by all");
});

test("status shows the other goals where a key of one is of another type; doctor names each such key", async () => {
  await using other = await Workspace.create();
  await using board = await other.board();
  const goals = Array.from({ length: 6 }, () => sampleArtefact());
  const [flagless, claimless, listless, causeless, callless] = goals as [
    ...[Artefact, Artefact, Artefact, Artefact, Artefact],
  ];
  for (const one of goals) await board.createArtefact(one, "person:Ada");
  const claim = sampleClaim(claimless, []);
  await openStandard(board, claim, await acquireLeaderLease(board));
  const typed = [
    `sett:demo:goal:${flagless.id}`,
    `sett:demo:claim:${claim.id}`,
    `sett:demo:goal:${listless.id}:artefacts`,
    `sett:demo:artifact:${causeless.id}:claims`,
    `sett:demo:goal:${callless.id}:calls`,
    // No goal needs what is noted here.
    "sett:demo:preparing",
    "sett:demo:events:owed",
  ];
  for (const each of typed) {
    await other.redis.cli("DEL", each);
    await other.redis.cli("SET", each, "no hash");
  }
  const { code, out, err } = await other.sett("status");
  expect([code, err]).toEqual([0, ""]);
  for (const one of goals) expect(out).toContain(short(one));
  for (const one of [listless, causeless, callless])
    expect(out).toContain(`Artefact ${short(one)} cannot be shown`);
  const { findings } = JSON.parse((await other.sett("doctor", "--json")).out);
  expect(findings).toContainEqual(
    expect.objectContaining({
      check: "claims",
      level: "problem",
      found: expect.stringContaining(
        `goal ${short(flagless)}, goal ${short(listless)}, claim ${claim.id.slice(0, 8)}`,
      ),
    }),
  );
  const { level, found } = findings.find(({ check }: { check: string }) => check === "keys");
  expect(level).toBe("problem");
  expect(found).toContain("sett:demo:events:owed is a string and was a hash");
  expect(found).toContain(`and ${typed.length - 5} more`);
  const silent = expect.objectContaining({ subject: "redis", check: "answer" });
  expect(findings).not.toContainEqual(silent);
  expect(JSON.parse((await other.sett("prune", "--before", "0s", "--json")).out)).toMatchObject({
    goals: [],
    damaged: [flagless, listless, causeless].map(({ id }) => ({ id, artefacts: [] })),
  });
}, 120_000);
