import { expect, test } from "bun:test";
import type { Blackboard } from "../../../../lib/blackboard/port/blackboard.ts";
import { SettEvent } from "../../../../lib/model/event.ts";
import type { Bench } from "../../../support/blackboard/bench.ts";
import {
  done,
  postGoal,
  queueGrant,
  resultOf,
  runGrant,
  user,
} from "../../../support/blackboard/scene.ts";
import { agentName } from "../../../support/records/sample.ts";
import { waitFor } from "../../../support/wait-for.ts";

export function followingSuite(open: () => Promise<Bench>): void {
  test("the memory in use is known, and its limit where there is one", async () => {
    await using bench = await open();
    const { usedBytes, limitBytes } = await bench.board.readMemory();
    expect(usedBytes).toBeGreaterThanOrEqual(0);
    expect(limitBytes).toBeUndefined();
  });

  test("what Redis has acknowledged is with its system a moment later", async () => {
    await using bench = await open();
    await postGoal(bench.board);
    await waitFor("it to be written", () => bench.board.hasWritten());
  });

  test("every event that is written is one that the model knows", async () => {
    await using bench = await open();
    const { claim, goal } = await runGrant(bench.board);
    await bench.board.finishGrant(done(claim.id, resultOf(goal, claim)));
    const log = await bench.board.readEvents("0", 100);
    expect(log.map((event) => SettEvent.parse(event))).toEqual(log);
    expect(Math.abs(Date.parse(log[0]?.time ?? "") - (await bench.board.time()))).toBeLessThan(
      60_000,
    );
  });

  test("the log is read in pages, without a gap or a repeat", async () => {
    await using bench = await open();
    expect(await bench.board.endOfEvents()).toBe("0");
    for (let count = 0; count < 7; count += 1) await log(bench.board, count);
    const seen: unknown[] = [];
    let from = "0";
    for (;;) {
      const page = await bench.board.readEvents(from, 3);
      if (page.length === 0) break;
      seen.push(...page.map((event) => event.data?.count));
      from = page.at(-1)?.id ?? from;
    }
    expect(seen).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(await bench.board.countEvents()).toBe(7);
    expect(await bench.board.endOfEvents()).toBe(from);
  });

  test("the log is read backwards, from its end or from an event", async () => {
    await using bench = await open();
    expect(await bench.board.readEventsBefore(undefined, 3)).toEqual([]);
    for (let count = 0; count < 5; count += 1) await log(bench.board, count);
    const newest = await bench.board.readEventsBefore(undefined, 2);
    expect(newest.map(({ data }) => data?.count)).toEqual([4, 3]);
    const rest = await bench.board.readEventsBefore(newest.at(-1)?.id, 10);
    expect(rest.map(({ data }) => data?.count)).toEqual([2, 1, 0]);
    expect(await bench.board.readEventsBefore(rest.at(-1)?.id, 10)).toEqual([]);
  });

  test("a follower gets what happened before, then what happens, and ends with its signal", async () => {
    await using bench = await open();
    const other = await bench.another();
    for (let count = 0; count < 3; count += 1) await log(bench.board, count);
    const first = (await bench.board.readEvents("0", 1))[0]?.id ?? "";
    const stop = new AbortController();
    const seen: unknown[] = [];
    const following = (async () => {
      for await (const batch of other.followEvents(first, stop.signal))
        seen.push(...batch.map((event) => event.data?.count));
    })();
    await waitFor("the past", () => seen.length === 2);
    await log(bench.board, 3);
    await waitFor("the new one", () => seen.length === 3);
    expect(seen).toEqual([1, 2, 3]);
    stop.abort();
    await following;
  });

  test("an entry that is no event of ours is reported as unreadable, and the follower goes on", async () => {
    await using bench = await open();
    const stop = new AbortController();
    const seen: SettEvent[] = [];
    const following = (async () => {
      for await (const batch of bench.board.followEvents("0", stop.signal)) seen.push(...batch);
    })();
    await log(bench.board, 0);
    const goal = await postGoal(bench.board);
    const body = { actor: "agent:coder", goal_id: goal.goal_id };
    for (const entry of oddEntries) await bench.hand.writeEvent(entry);
    await bench.hand.writeEvent({
      type: "claim_dreamt",
      event: JSON.stringify({ ...body, data: { deep: { er: [] } } }),
    });
    await log(bench.board, 1);
    await waitFor("the last event", () => seen.at(-1)?.data?.count === 1);
    stop.abort();
    await following;
    expect(seen).toEqual(await bench.board.readEvents("0", 1_000));
    const odd = seen.filter(({ type }) => type === "unreadable");
    expect(odd).toHaveLength(oddEntries.length + 1);
    for (const event of seen) expect(SettEvent.parse(event)).toEqual(event);
    // The subject of an event is known, also where its type is a newer version's.
    expect(odd.at(-1)).toMatchObject({
      ...body,
      data: { type: "claim_dreamt", reason: "this version of Sett knows no such type" },
    });
  });

  test("what announces no claim is passed over", async () => {
    await using bench = await open();
    const stop = new AbortController();
    const announcements: unknown[] = [];
    const following = (async () => {
      for await (const batch of bench.board.followAnnouncements("0", stop.signal))
        announcements.push(...batch);
    })();
    const id = crypto.randomUUID();
    const about = JSON.stringify({ artefact_id: id, type: "Report", produced_by_role: "coder" });
    for (const odd of ["{", "5", "null", '{"artefact_id":5}'])
      await bench.hand.writeAnnouncement({ claim: id, about: odd });
    await bench.hand.writeAnnouncement({ claim: "everything", about });
    await bench.hand.writeAnnouncement({ hello: "there" });
    const { claim } = await queueGrant(bench.board);
    await waitFor("the announcement", () => announcements.length > 0);
    expect(announcements).toEqual([expect.objectContaining({ claim: claim.id })]);
    stop.abort();
    await following;
  });

  test("a handle that is closed ends its followers, and no others", async () => {
    await using bench = await open();
    const other = await bench.another();
    const never = new AbortController().signal;
    const iterables = [
      other.followEvents("0", never),
      other.followAnnouncements("0", never),
      other.followGrants(agentName("coder"), never),
      other.artefactHints(never),
    ];
    const ends = iterables.map(async (iterable) => {
      for await (const _ of iterable);
    });
    await postGoal(bench.board);
    await other[Symbol.asyncDispose]();
    await Promise.all(ends);
    expect(await bench.board.listGoals()).toHaveLength(1);
  });

  test("a queued grant wakes the agent that waits for one, and no other", async () => {
    await using bench = await open();
    const stop = new AbortController();
    const claimsByAgent: Record<string, string[]> = { coder: [], tester: [] };
    const following = Object.entries(claimsByAgent).map(async ([name, claims]) => {
      for await (const batch of bench.board.followGrants(agentName(name), stop.signal))
        claims.push(...batch);
    });
    const { claim } = await queueGrant(bench.board);
    await waitFor("the wake-up", () => claimsByAgent.coder?.[0] === claim.id);
    expect(claimsByAgent.tester).toEqual([]);
    stop.abort();
    await Promise.all(following);
  });

  test("what is queued comes in the order in which it was queued, also within one millisecond", async () => {
    await using bench = await open();
    const claims: string[] = [];
    for (let count = 0; count < 12; count += 1)
      claims.push((await queueGrant(bench.board)).claim.id);
    const stop = new AbortController();
    const batches: string[][] = [];
    for await (const batch of bench.board.followGrants(agentName("coder"), stop.signal, 1)) {
      batches.push(batch);
      // The second one is the reminder.
      if (batches.length === 2) break;
    }
    stop.abort();
    expect(batches).toEqual([claims, claims]);
  });

  test("hints name every artefact, posted or published by hand", async () => {
    await using bench = await open();
    const stop = new AbortController();
    const hints: string[] = [];
    const following = (async () => {
      for await (const ids of bench.board.artefactHints(stop.signal)) hints.push(...ids);
    })();
    // The subscription takes its time; hints before it are lost, as they may be.
    await waitFor("a hint", async () => {
      await bench.hand.publish("anything");
      return hints.includes("anything");
    });
    const goal = await postGoal(bench.board);
    await waitFor("the goal's hint", () => hints.includes(goal.id));
    stop.abort();
    await following;
  });

  test("an announced claim reaches who follows", async () => {
    await using bench = await open();
    const stop = new AbortController();
    const announcements: string[] = [];
    const from = await bench.board.endOfAnnouncements();
    const following = (async () => {
      for await (const batch of bench.board.followAnnouncements(from, stop.signal))
        announcements.push(...batch.map(({ claim }) => claim));
    })();
    const { claim } = await queueGrant(bench.board);
    await waitFor("the announcement", () => announcements.length > 0);
    expect(announcements).toEqual([claim.id]);
    stop.abort();
    await following;
  });
}

/** As a person may write them at redis-cli, or a broken program. */
const oddEntries: Record<string, string>[] = [
  { type: "grant_done", event: "{" },
  { type: "grant_done", event: "" },
  { type: "grant_done", event: "null" },
  { type: "grant_done", event: "[]" },
  { type: "grant_done", event: "5" },
  { type: "grant_done", event: '{"actor":5}' },
  { type: "grant_done", event: '{"actor":"hand","claim_id":{}}' },
  { type: "grant_done", event: '{"actor":"hand","data":"none"}' },
  { type: "grant_done" },
  { type: "__proto__", event: '{"actor":"hand"}' },
  { hello: "there" },
];

function log(board: Blackboard, count: number): Promise<string> {
  return board.logEvent({ type: "instance_started", data: { count } }, user);
}
