// Logs that were changed: each event by itself is well-formed, and only the rules say that it was
// not decided so, or cannot have been done.
import { beforeAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { factsNamedIn } from "../../../../apps/cli/audit/replay.ts";
import type { EventType, SettEvent } from "../../../../lib/model/event.ts";
import type { FactDigest } from "../../../../lib/model/fact.ts";
import { Replay } from "../../../../lib/replay/replay.ts";
import { newArtefactId } from "../../../support/records/sample.ts";
import { waitFor } from "../../../support/wait-for.ts";
import { memoryClan } from "../../../support/world/memory-clan.ts";

type Log = { events: SettEvent[]; facts: Map<FactDigest, string> };

let log: Log;

/** A text that is rejected once, made again, approved, and packed by the one agent that bid so. */
beforeAll(async () => {
  await using clan = await memoryClan();
  let reviews = 0;
  await clan.join({
    coder: {
      bids: [{ on: "GoalDefined", bid: "exclusive" }],
      tool: () => ({ artefact_type: "Text", artefact_payload: "a", summary: "Written" }),
    },
    reviewer: {
      behaviour: {
        bid: ({ type }) => (type === "Text" ? "review" : "ignore"),
        work: () => {
          reviews += 1;
          return { structural_type: "Review", payload: reviews === 1 ? "Once more" : "{}" };
        },
      },
    },
    packer: {
      bids: [{ on: "Text", bid: "exclusive" }],
      tool: () => ({
        structural_type: "Terminal",
        artefact_type: "Done",
        artefact_payload: "b",
        summary: "Done",
      }),
    },
  });
  await clan.startOrchestrator({ version: "1.2.3" });
  const done = await clan.made(await clan.postGoal(), ({ type }) => type === "Done");
  await waitFor("the end of its claim", async () =>
    (await clan.events()).some(
      ({ type, claim_id }) => type === "claim_completed" && claim_id === done.claim_id,
    ),
  );
  const events = await clan.events();
  const digests = factsNamedIn(events).flatMap((named) => named.digests);
  log = { events, facts: await clan.board.readFacts(digests) };
}, 120_000);

function replayed({ events, facts }: Log) {
  const replay = new Replay(facts);
  for (const event of events) replay.add(event);
  return replay.end();
}

/** The last of these. */
function last({ events }: Log, type: EventType, agent?: string): SettEvent {
  const isIt = (one: SettEvent) => one.type === type && (!agent || one.agent === agent);
  const found = events.findLast(isIt);
  if (found === undefined) throw new Error(`The log has no ${type} of ${agent}.`);
  return found;
}

function remove(of: Log, ...gone: SettEvent[]): void {
  of.events = of.events.filter((one) => !gone.includes(one));
}

function insertAfter(of: Log, event: SettEvent, added: SettEvent): void {
  of.events.splice(of.events.indexOf(event) + 1, 0, added);
}

/** A fact that was changed, under the digest of what it says now, which each event names. */
function changeFact(of: Log, name: "registry" | "policy", change: (text: string) => string): void {
  const before = String(last(of, "claim_opened").data?.[name]) as FactDigest;
  const text = change(of.facts.get(before) ?? "");
  const digest = createHash("sha256").update(text).digest("hex") as FactDigest;
  of.facts.set(digest, text);
  for (const { data } of of.events) if (data?.[name] === before) data[name] = digest;
}

test("a log that came about by the rules is made again without a difference", () => {
  const { decisions, claims, ...rest } = replayed(log);
  expect({ claims, ...rest }).toEqual({
    ...{ claims: 4, versions: ["1.2.3"] },
    ...{ differences: [], due: [], unknown: [] },
  });
  expect(decisions).toBeGreaterThan(10);
});

/** What is done, and the words by which the difference is named. */
const damages: readonly [string, (of: Log) => void, RegExp][] = [
  [
    "a grant that no bid earned",
    (of) => Object.assign(last(of, "grant_queued", "packer"), { agent: "coder" }),
    /^grant_queued packer/,
  ],
  [
    "a rejection that became an approval",
    (of) => {
      const done = of.events.find(({ data }) => data?.rejects === true);
      delete done?.data?.rejects;
    },
    /^grant_queued packer/,
  ],
  [
    "complete with a rejecting review",
    (of) => Object.assign(last(of, "grant_done", "reviewer").data ?? {}, { rejects: true }),
    /^claim_terminated/,
  ],
  [
    "closed with a bid missing",
    (of) => remove(of, last(of, "bid_placed", "reviewer")),
    /^Nothing is to be decided\.$/,
  ],
  [
    "a bid after the end of the bidding",
    (of) => {
      const { data, ...bid } = last(of, "bid_placed", "reviewer");
      const { rev: _, ...rest } = data ?? {};
      insertAfter(of, last(of, "grant_queued", "reviewer"), { ...bid, data: rest });
    },
    /^The bidding was over\.$/,
  ],
  [
    "a second result of a grant",
    (of) => {
      const { data, ...done } = last(of, "grant_done", "reviewer");
      const { rev: _, ...rest } = data ?? {};
      insertAfter(of, last(of, "grant_done", "reviewer"), { ...done, data: rest });
    },
    /^The grant of reviewer is done in attempt 1\.$/,
  ],
  [
    "a result after the end",
    (of) => {
      const { data, ...done } = last(of, "grant_done", "packer");
      const { rev: _, ...rest } = data ?? {};
      insertAfter(of, last(of, "claim_completed"), { ...done, data: rest });
    },
    /^The claim had ended\.$/,
  ],
  [
    "a result that is not on record",
    (of) => Object.assign(last(of, "grant_done", "packer"), { artefact_id: newArtefactId() }),
    /^No result .* of the claim is on record\.$/,
  ],
  [
    "a start that is gone",
    (of) => remove(of, last(of, "grant_started", "packer")),
    /^The grant of packer is queued in attempt 1\.$/,
  ],
  [
    "two events that have changed places",
    (of) => {
      const [bid, closed] = [last(of, "bid_placed", "reviewer"), last(of, "bidding_closed")];
      const at = of.events.indexOf(bid);
      of.events[of.events.indexOf(closed)] = bid;
      of.events[at] = closed;
    },
    /./,
  ],
  [
    "a change that is numbered as an earlier one",
    (of) => Object.assign(last(of, "grant_done", "packer").data ?? {}, { rev: 1 }),
    /^After `rev` \d+ comes a greater one\.$/,
  ],
  [
    "a clarification of what is no question",
    (of) => {
      const opened = of.events.find(({ data }) => data?.kind === "rework");
      Object.assign(opened?.data ?? {}, { cause: "clarification:coder" });
    },
    /^Only a Question has a claim of this cause\.$/,
  ],
  [
    "a claim that was opened twice",
    (of) => {
      const opened = of.events.findLast(
        ({ type, data }) => type === "claim_opened" && data?.kind === "standard",
      );
      if (opened !== undefined)
        of.events.push({ ...opened, claim_id: newArtefactId() as unknown as never });
    },
    /^The artefact has a claim of this cause\.$/,
  ],
  [
    "a rework that was never opened",
    (of) => {
      const opened = of.events.find(({ data }) => data?.kind === "rework");
      of.events = of.events.filter(({ claim_id }) => claim_id !== opened?.claim_id);
    },
    /rework:1 coder$/,
  ],
  [
    "a rework that follows from nothing",
    (of) => {
      const opened = of.events.find(({ data }) => data?.kind === "rework");
      const queued = of.events.find(
        ({ type, claim_id }) => type === "grant_queued" && claim_id === opened?.claim_id,
      );
      const about = {
        claim_id: newArtefactId() as unknown as never,
        artefact_id: last(of, "claim_completed").artefact_id,
      } as object;
      for (const event of [opened, queued])
        if (event !== undefined) of.events.push({ ...event, ...about });
    },
    /^No rework follows\.$/,
  ],
  [
    "another rule of that time",
    (of) =>
      changeFact(of, "registry", (text) => text.replace('"bid":"exclusive"', '"bid":"claim"')),
    /^bids_placed/,
  ],
];

describe("of a log with", () => {
  test.each(damages)("%s", (_title, damage, rules) => {
    const damaged = structuredClone(log);
    damage(damaged);
    const [first] = replayed(damaged).differences;
    expect(first?.rules).toMatch(rules);
  });
});

test("an end that never came, and a claim that was never opened, are due", () => {
  const open = structuredClone(log);
  remove(open, last(open, "claim_completed"));
  const { claim_id: id, artefact_id } = last(log, "claim_completed");
  expect(replayed(open)).toMatchObject({
    differences: [],
    due: [{ claim: id, rules: `claim_completed ${artefact_id}` }],
  });
  const unopened = structuredClone(log);
  unopened.events = unopened.events.filter(({ claim_id }) => claim_id !== id);
  expect(replayed(unopened)).toMatchObject({
    differences: [],
    due: [
      {
        artefact: last(log, "claim_completed").artefact_id,
        rules: 'claim_opened cause="standard"',
      },
    ],
  });
});

describe("of a version that wrote neither `rev` nor what decisions are based on", () => {
  test("claims are not known, and what another version has decided since is as the rules ask for", () => {
    const taken = structuredClone(log);
    const until = taken.events.findIndex(({ type }) => type === "claim_terminated");
    for (const { data = {} } of taken.events.slice(0, until + 1))
      for (const name of ["rev", "trigger", "registry", "policy"]) delete data[name];
    expect(replayed(taken)).toMatchObject({
      ...{ claims: 4, differences: [], due: [] },
      unknown: [expect.any(String), expect.any(String)],
    });
  });

  test("a claim that is tried again is not known either", () => {
    const [goal_id, artefact_id, first, second] = Array.from({ length: 4 }, newArtefactId);
    const failure = newArtefactId();
    const common = { actor: "orchestrator:1", time: "2026-01-01T00:00:00.000Z", goal_id };
    const events = [
      { type: "claim_opened", artefact_id, claim_id: first, data: { cause: "standard" } },
      {
        ...{ type: "artefact_created", artefact_id: failure, claim_id: first },
        data: {
          structural_type: "Failure",
          type: "ToolExecutionFailure",
          version: 1,
          role: "coder",
        },
      },
      { type: "claim_opened", artefact_id, claim_id: second, data: { cause: `retry:${failure}` } },
      { type: "grant_queued", artefact_id, claim_id: second, agent: "coder", data: { attempt: 2 } },
    ].map((event, at) => ({ ...common, ...event, id: `${at + 1}-0` }) as unknown as SettEvent);
    expect(replayed({ events, facts: new Map() })).toMatchObject({
      ...{ differences: [], unknown: [first, second] },
    });
  });
});
