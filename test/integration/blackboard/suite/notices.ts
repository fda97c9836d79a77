import { expect, test } from "bun:test";
import type { Bench } from "../../../support/blackboard/bench.ts";
import { acquireLeaderLease } from "../../../support/blackboard/scene.ts";
import { waitFor } from "../../../support/wait-for.ts";

export function noticesSuite(open: () => Promise<Bench>): void {
  test("the notifier's place in the log is kept apart from the orchestrator's, and can be forgotten", async () => {
    await using bench = await open();
    const { board } = bench;
    const epoch = await acquireLeaderLease(board);
    expect(await board.readNoticeCursor()).toBeUndefined();
    expect(await board.moveNoticeCursor(epoch, "5-0")).toEqual({ outcome: "moved" });
    await board.moveCursor(epoch, "9-0");
    expect(await (await bench.another()).readNoticeCursor()).toBe("5-0");
    expect(await board.readLeader()).toMatchObject({ cursor: "9-0" });
    expect(await board.moveNoticeCursor(epoch, undefined)).toEqual({ outcome: "moved" });
    expect(await board.readNoticeCursor()).toBeUndefined();
    expect(await board.readLeader()).toMatchObject({ cursor: "9-0" });
  });

  test("the webhooks that could not be notified are on record until the next list, under the leader's epoch alone", async () => {
    await using bench = await open();
    const { board } = bench;
    const epoch = await acquireLeaderLease(board);
    const at = { since: "2026-11-26T06:00:00.000Z", reason: "It refuses.", is_given_up: false };
    const problems = ["one", "two"].map((hook) => ({ hook, to: `http://${hook}.invalid`, ...at }));
    expect(await board.readNoticeProblems()).toEqual([]);
    expect(await board.noteNoticeProblems(epoch, problems)).toEqual({ outcome: "moved" });
    const other = await bench.another();
    expect(await other.readNoticeProblems()).toEqual(problems);
    await acquireLeaderLease(board);
    expect(await board.noteNoticeProblems(epoch, [])).toEqual({ outcome: "fenced" });
    expect(await other.readNoticeProblems()).toEqual(problems);
  });

  test("the last delivery is recorded for each subject and hook", async () => {
    await using bench = await open();
    const { board } = bench;
    const epoch = await acquireLeaderLease(board);
    const first = { notice: "a-0", at: 1_700_000_000_123, reminder: 0 };
    const second = { notice: "a-0", at: 1_700_000_100_000, reminder: 1 };
    expect(await board.readDelivery("a", "one")).toBeUndefined();
    expect(
      await board.recordDelivery({ subject: "a", hook: "one", delivery: first, epoch }),
    ).toEqual({ outcome: "recorded" });
    await board.recordDelivery({ subject: "a", hook: "two", delivery: first, epoch });
    await board.recordDelivery({ subject: "a", hook: "one", delivery: second, epoch });
    const other = await bench.another();
    expect(await other.readDelivery("a", "one")).toEqual(second);
    expect(await other.readDelivery("a", "two")).toEqual(first);
    expect(await other.readDelivery("b", "one")).toBeUndefined();
  });

  test("a reply of the API is kept under its key, until its time is over", async () => {
    await using bench = await open();
    const { board } = bench;
    expect(await board.readReply("one")).toBeUndefined();
    await board.keepReply("one", '{"status":201}', 60_000);
    await board.keepReply("two", "{}", 1);
    expect(await (await bench.another()).readReply("one")).toBe('{"status":201}');
    await waitFor(
      "the reply to be forgotten",
      async () => (await board.readReply("two")) === undefined,
    );
    expect(await board.readReply("three")).toBeUndefined();
  });

  test("an orchestrator whose epoch is over notes nothing and moves nothing", async () => {
    await using bench = await open();
    const { board } = bench;
    const epoch = await acquireLeaderLease(board);
    await board.moveNoticeCursor(epoch, "5-0");
    await acquireLeaderLease(board);
    const delivery = { notice: "a", at: 1, reminder: 0 };
    expect(
      await board.recordDelivery({ subject: "a", hook: "one", delivery: delivery, epoch }),
    ).toEqual({ outcome: "fenced" });
    expect(await board.moveNoticeCursor(epoch, "9-0")).toEqual({ outcome: "fenced" });
    expect(await board.readDelivery("a", "one")).toBeUndefined();
    expect(await board.readNoticeCursor()).toBe("5-0");
  });
}
