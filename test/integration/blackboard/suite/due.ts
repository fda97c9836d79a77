import { expect, test } from "bun:test";
import { ClaimId } from "../../../../lib/model/ids.ts";
import type { Bench } from "../../../support/blackboard/bench.ts";
import { acquireLeaderLease, openClaim, runGrant } from "../../../support/blackboard/scene.ts";
import { agentName } from "../../../support/records/sample.ts";
import { waitFor } from "../../../support/wait-for.ts";

const hourMs = 3_600_000;

const newClaim = () => ClaimId.parse(crypto.randomUUID());

export function dueSuite(open: () => Promise<Bench>): void {
  test("many due members of one kind, or unreadable ones, do not keep others from being listed", async () => {
    await using bench = await open();
    const epoch = await acquireLeaderLease(bench.board);
    const now = await bench.board.time();
    const [one, two, late] = [newClaim(), newClaim(), newClaim()];
    const unreadableMembers = [
      "nonsense",
      "lease:",
      "lease:unknown:coder:1",
      `attempt:${one}:coder:first`,
      "dream:1",
    ];
    for (const [index, member] of unreadableMembers.entries())
      await bench.hand.writeDue(member, index);
    for (let index = 0; index < 5; index += 1)
      await bench.hand.writeDue(`bids:${newClaim()}`, 10 + index);
    await bench.hand.writeDue(`announce:${late}`, now - 1);
    await bench.hand.writeDue(`lease:${one}:coder:1`, now - 20);
    await bench.hand.writeDue(`attempt:${two}:coder:2`, now - 30);
    await bench.hand.writeDue(`announce:${one}`, now + hourMs);
    const due = await bench.board.listDue(2);
    const count = (kind: string) => due.filter((item) => item.kind === kind).length;
    expect([count("bids"), count("announce"), count("unreadable")]).toEqual([
      2,
      1,
      expect.any(Number),
    ]);
    expect(await bench.board.listDue(10, ["announce", "attempt"])).toEqual([
      { kind: "attempt", claim: two, agent: agentName("coder"), attempt: 2 },
      { kind: "announce", claim: late },
    ]);
    // Taking out what cannot be read makes it good, however much of it there is.
    const unreadable = (await bench.board.listDue(10)).filter((item) => item.kind === "unreadable");
    expect(unreadable.map(({ member }) => member).sort()).toEqual(unreadableMembers.sort());
    expect(await bench.board.clearDue(unreadable, epoch)).toEqual({ outcome: "cleared" });
    const kinds = (await bench.board.listDue(2)).map(({ kind }) => kind);
    expect(kinds.sort()).toEqual(["announce", "attempt", "bids", "bids", "lease"]);
  });

  test("a member that only resembles ours is not read as ours, and clearing it leaves ours; one moment's are in order", async () => {
    await using bench = await open();
    const epoch = await acquireLeaderLease(bench.board);
    const now = await bench.board.time();
    const claim = newClaim();
    const own = [`attempt:${claim}:coder:2`, `bids:${claim}`, `lease:${claim}:coder:0`];
    const odd = [
      `bids:${claim}:x`,
      `bids:${claim.toUpperCase()}`,
      `lease:${claim}::1`,
      `lease:${claim}:coder:01`,
      `lease:${claim}:Coder:1`,
    ];
    for (const member of [...odd, ...own]) await bench.hand.writeDue(member, now - 1);
    const due = await bench.board.listDue(10);
    expect(due).toHaveLength(odd.length + own.length);
    expect(due.flatMap((item) => (item.kind === "unreadable" ? [item.member] : []))).toEqual(
      odd.toSorted(),
    );
    const some = await bench.board.listDue(1, ["lease", "unreadable"]);
    expect(some.map(({ kind }) => kind)).toEqual(["unreadable", "lease"]);
    expect(
      (await bench.board.listDue(10, ["lease", "bids", "attempt"])).map(({ kind }) => kind),
    ).toEqual(["attempt", "bids", "lease"]);
    const unreadable = due.filter(({ kind }) => kind === "unreadable");
    expect(await bench.board.clearDue(unreadable, epoch)).toEqual({ outcome: "cleared" });
    expect((await bench.board.listDue(10)).map(({ kind }) => kind)).toEqual([
      "attempt",
      "bids",
      "lease",
    ]);
  });

  test("what is put off is due again later; what was moved further or is over stays so", async () => {
    await using bench = await open();
    const epoch = await acquireLeaderLease(bench.board);
    const now = await bench.board.time();
    const item = () => ({ kind: "announce", claim: newClaim() }) as const;
    const [one, two, three, soon] = [item(), item(), item(), item()];
    await bench.hand.writeDue(`announce:${one.claim}`, now - 1);
    await bench.hand.writeDue(`announce:${two.claim}`, now + hourMs);
    expect(await bench.board.deferDue([one], 1, epoch + 1)).toEqual({ outcome: "fenced" });
    expect(await bench.board.deferDue([one, three], hourMs, epoch)).toEqual({
      outcome: "deferred",
    });
    expect(await bench.board.deferDue([two], 1, epoch)).toEqual({ outcome: "deferred" });
    expect(await bench.board.listDue(10)).toEqual([]);
    await bench.hand.writeDue(`announce:${soon.claim}`, now - 1);
    expect(await bench.board.deferDue([soon], 30, epoch)).toEqual({ outcome: "deferred" });
    await waitFor("it to be due again", async () => (await bench.board.listDue(10)).length > 0);
    expect(await bench.board.listDue(10)).toEqual([soon]);
  });

  test("clearing what is due leaves what was moved further meanwhile", async () => {
    await using bench = await open();
    const epoch = await acquireLeaderLease(bench.board);
    const now = await bench.board.time();
    const [moved, due] = [newClaim(), newClaim()].map(
      (claim) => ({ kind: "bids", claim }) as const,
    );
    if (moved === undefined || due === undefined) throw new Error("There are two.");
    await bench.hand.writeDue(`bids:${due.claim}`, now - 1);
    await bench.hand.writeDue(`bids:${moved.claim}`, now + hourMs);
    expect(await bench.board.clearDue([moved, due], epoch)).toEqual({ outcome: "cleared" });
    expect(await bench.board.listDue(10)).toEqual([]);
    await bench.hand.setBack(-2 * hourMs);
    expect(await bench.board.listDue(10)).toEqual([moved]);
    await bench.board.clearDue([moved], epoch);
    expect(await bench.board.listDue(10)).toEqual([]);
  });

  test("a clock that is set back delays nothing: what was to come due still comes, in its time", async () => {
    await using bench = await open();
    const { claim, agent } = await runGrant(bench.board, 200);
    await bench.hand.writeDue(`announce:${newClaim()}`, (await bench.board.time()) + hourMs);
    await bench.hand.setBack(24 * hourMs);
    // What comes after the step goes by the new clock, and is not touched.
    const after = newClaim();
    await bench.hand.writeDue(`bids:${after}`, (await bench.board.time()) + 150);
    await acquireLeaderLease(bench.board);
    const due = await waitFor("the lease and the deadline", async () => {
      const items = await bench.board.listDue(10);
      return items.length === 2 && items;
    });
    expect(due).toContainEqual({ kind: "lease", claim: claim.id, agent, attempt: 1 });
    expect(due).toContainEqual({ kind: "bids", claim: after });
  });

  test("of a leader lease whose holder is gone, a clock that is set back does not lengthen the lease", async () => {
    await using bench = await open();
    const other = await bench.another();
    await openClaim(bench.board, []);
    await bench.board.acquireLeaderLease({ holder: "h1", leaseMs: 100, restarted: false });
    await bench.hand.setBack(hourMs);
    await waitFor("the leader lease", async () => {
      const leader = await other.acquireLeaderLease({
        holder: "h2",
        leaseMs: 60_000,
        restarted: true,
      });
      return leader.outcome === "held";
    });
  });
}
