import { expect, test } from "bun:test";
import type { Bench } from "../../../support/blackboard/bench.ts";
import { events, user } from "../../../support/blackboard/scene.ts";
import { agentName, sampleAgent } from "../../../support/records/sample.ts";
import { waitFor } from "../../../support/wait-for.ts";

export function agentsAndLeaderSuite(open: () => Promise<Bench>): void {
  test("registering gives an event for what is new, changed or removed, and for nothing else", async () => {
    await using bench = await open();
    const coder = sampleAgent("coder", {
      bids: [{ on: "GoalDefined", bid: "exclusive" }],
      bids_by_command: true,
    });
    const tester = sampleAgent("tester");
    await bench.board.registerAgents([tester, coder], user, { exact: true });
    await bench.board.registerAgents([coder, tester], user, { exact: true });
    expect(await bench.board.listAgents()).toEqual([coder, tester]);
    await bench.board.registerAgents([{ ...coder, image: "sha256:1" }], user, { exact: false });
    expect(await bench.board.listAgents()).toEqual([{ ...coder, image: "sha256:1" }, tester]);
    await bench.board.registerAgents([tester], user, { exact: true });
    expect(await bench.board.listAgents()).toEqual([tester]);
    expect(
      (await events(bench.board)).map(({ type, agent, actor }) => ({ type, agent, actor })),
    ).toEqual([
      { type: "agent_registered", agent: tester.name, actor: user },
      { type: "agent_registered", agent: coder.name, actor: user },
      { type: "agent_registered", agent: coder.name, actor: user },
      { type: "agent_removed", agent: coder.name, actor: user },
    ]);
  });

  test("an agent that is expected is found by its name, and listed only when it is registered", async () => {
    await using bench = await open();
    const { board } = bench;
    const [coder, tester] = [sampleAgent("coder"), sampleAgent("tester")];
    await board.registerAgents([coder], user, { exact: true });
    const changed = { ...coder, image: "sha256:1" };
    await board.expectAgents([changed, tester], user);
    await board.reportStatus(tester.name, { at: 1, state: "idle" });
    expect(await board.listAgents()).toEqual([changed]);
    expect(await board.findAgent(tester.name)).toEqual(tester);
    expect(await board.findAgent(coder.name)).toEqual(changed);
    expect(await board.findAgent(agentName("unknown"))).toBeUndefined();
    await board.registerAgents([tester], user, { exact: false });
    expect(await board.listAgents()).toEqual([changed, tester]);
    expect(await board.findAgent(tester.name)).toEqual(tester);
    expect(await board.listStatuses()).toHaveProperty("size", 1);
    const registered = (await events(board)).map(({ type, agent }) => `${type} ${agent}`);
    expect(registered).toEqual([
      "agent_registered coder",
      "agent_registered coder",
      "agent_registered tester",
    ]);
  });

  test("an exact registration forgets who was expected and is not named, without a line in the log", async () => {
    await using bench = await open();
    const { board } = bench;
    const [coder, tester] = [sampleAgent("coder"), sampleAgent("tester")];
    await board.registerAgents([coder], user, { exact: true });
    await board.expectAgents([{ ...coder, image: "sha256:1" }, tester], user);
    await board.reportStatus(tester.name, { at: 1, state: "idle" });
    await board.registerAgents([coder], user, { exact: true });
    expect(await board.listAgents()).toEqual([coder]);
    expect(await board.findAgent(tester.name)).toBeUndefined();
    expect(await board.listStatuses()).toHaveProperty("size", 0);
    expect((await events(board)).some(({ agent }) => agent === tester.name)).toBe(false);
  });

  test("an agent reads a copy of its registration, which each registering renews", async () => {
    await using bench = await open();
    const { board, hand } = bench;
    const coder = sampleAgent("coder");
    const changed = sampleAgent("coder", { role: "writer" });
    await board.expectAgents([coder], user);
    await hand.writeRegistration(coder.name, JSON.stringify(changed));
    expect([await board.findAgent(coder.name), ...(await board.listAgents())]).toEqual([
      coder,
      changed,
    ]);
    // Nothing is new for others, and the copy is still written.
    await board.registerAgents([changed], user, { exact: false });
    expect(await board.findAgent(coder.name)).toEqual(changed);
    expect(await events(board)).toEqual([]);
    await board.registerAgents([], user, { exact: true });
    expect(await board.findAgent(coder.name)).toBeUndefined();
  });

  test("what a later version has added to a registration is passed over, and an unreadable one is still registered", async () => {
    await using bench = await open();
    const coder = sampleAgent("coder", { bids: [{ on: "GoalDefined", bid: "exclusive" }] });
    await bench.hand.writeRegistration(coder.name, JSON.stringify({ ...coder, mood: "good" }));
    const tester = sampleAgent("tester");
    // A condition that is not understood cannot be passed over: the rule would say more than it was
    // meant to.
    const conditional = JSON.stringify({
      ...tester,
      bids: [{ on: "*", bid: "review", unless: "Draft" }],
    });
    await bench.hand.writeRegistration(tester.name, conditional);
    await bench.hand.writeRegistration(agentName("broken"), "{");
    await bench.hand.writeRegistration(agentName("other"), JSON.stringify(tester));
    const waitedFor = { bids: [], on_missing_bid: "wait" };
    const found = await bench.board.listAgents();
    expect(found).toMatchObject([
      {
        name: "broken",
        ...waitedFor,
        unreadable: { text: "{", problem: expect.stringMatching(/^it is not JSON/) },
      },
      coder,
      { name: "other", ...waitedFor, unreadable: { problem: "it is the registration of tester" } },
      {
        name: "tester",
        ...waitedFor,
        unreadable: {
          text: conditional,
          problem: "`bids.0` has a value that this version of Sett does not know",
        },
      },
    ] as never);
    // Taking it back leaves them as they were.
    await bench.board.registerAgents([sampleAgent("broken"), tester], user, { exact: true });
    expect(await bench.board.listAgents()).toEqual([sampleAgent("broken"), tester]);
    await bench.board.registerAgents(found, user, { exact: true });
    expect(await bench.board.listAgents()).toEqual(found);
  });

  test("the last heartbeat is known of every agent that is registered or expected", async () => {
    await using bench = await open();
    expect(await bench.board.listStatuses()).toEqual(new Map());
    await bench.board.registerAgents([sampleAgent("coder")], user, { exact: true });
    await bench.board.expectAgents([sampleAgent("tester"), sampleAgent("silent")], user);
    await bench.board.reportStatus(agentName("unknown"), { at: 4, state: "idle" });
    await bench.board.reportStatus(agentName("coder"), { at: 1, state: "idle" });
    await bench.board.reportStatus(agentName("coder"), { at: 2, state: "working" });
    await bench.board.reportStatus(agentName("tester"), { at: 3, state: "starting" });
    expect(await bench.board.listStatuses()).toEqual(
      new Map([
        [agentName("coder"), { at: 2, state: "working" as const }],
        [agentName("tester"), { at: 3, state: "starting" as const }],
      ]),
    );
  });

  test("what workers have logged is kept, agent by agent, oldest first", async () => {
    await using bench = await open();
    const { board } = bench;
    await board.keepWorkerLog(agentName("tester"), { worker: "one", lines: ["first", "second"] });
    await board.keepWorkerLog(agentName("coder"), { worker: "other", lines: [] });
    await board.keepWorkerLog(agentName("tester"), { worker: "two", lines: ["third"] });
    const [one, two, ...more] = await board.readWorkerLogs(agentName("tester"));
    expect(one).toEqual({ id: expect.any(String), worker: "one", lines: ["first", "second"] });
    expect(two).toEqual({ id: expect.any(String), worker: "two", lines: ["third"] });
    expect(more).toEqual([]);
    expect(await board.readWorkerLogs(agentName("tester"), one?.id)).toEqual(
      two === undefined ? [] : [two],
    );
    expect(await board.readWorkerLogs(agentName("tester"), two?.id)).toEqual([]);
    expect(await board.readWorkerLogs(agentName("coder"))).toMatchObject([
      { worker: "other", lines: [] },
    ]);
    expect(await board.readWorkerLogs(agentName("unknown"))).toEqual([]);
  });

  test("the leader lease has one holder; a restarted one gets the next epoch at once, another waits for the lapse", async () => {
    await using bench = await open();
    const { board } = bench;
    expect(await board.readLeader()).toBeUndefined();
    const take = (holder: string, restarted: boolean, leaseMs = 60_000) =>
      board.acquireLeaderLease({ holder, leaseMs, restarted });
    expect(await take("h1", true)).toEqual({ outcome: "held", epoch: 1, cursor: "0" });
    expect(await take("h1", false)).toEqual({ outcome: "held", epoch: 1, cursor: "0" });
    expect(await take("h2", true)).toEqual({
      outcome: "taken",
      holder: "h1",
      expiresInMs: expect.any(Number),
    });
    expect(await board.moveCursor(1, "5-0")).toEqual({ outcome: "moved" });
    expect(await take("h1", true, 20)).toEqual({ outcome: "held", epoch: 2, cursor: "5-0" });
    expect(await board.moveCursor(1, "9-0")).toEqual({ outcome: "fenced" });
    const taken = await waitFor("the lapse", async () => {
      const leader = await take("h2", true);
      return leader.outcome === "held" && leader;
    });
    expect(taken).toEqual({ outcome: "held", epoch: 3, cursor: "5-0" });
    expect(await board.readLeader()).toEqual({
      holder: "h2",
      epoch: 3,
      expiresInMs: expect.any(Number),
      cursor: "5-0",
    });
    expect(await take("h1", false)).toMatchObject({ outcome: "taken", holder: "h2" });
    const started = await events(board, "orchestrator_started");
    expect(started.map((event) => event.data)).toEqual([
      { holder: "h1", epoch: 1 },
      { holder: "h1", epoch: 2 },
      { holder: "h2", epoch: 3 },
    ]);
    expect(started[2]?.actor).toBe("orchestrator:3");
  });

  test("where no user has too many connections, none is ended", async () => {
    await using bench = await open();
    const second = await bench.another();
    const few = await bench.board.countConnections();
    expect(await bench.board.endConnections(Math.max(few, 100_000))).toMatchObject({ ended: [] });
    const { last } = await bench.board.endSlowCallers(undefined, [
      { calls: 0, fromMs: 0, ms: 0, seconds: 60 },
    ]);
    expect(
      await bench.board.endSlowCallers(last, [{ calls: 1, fromMs: 0, ms: 600_000, seconds: 60 }]),
    ).toMatchObject({
      ended: [],
    });
    expect([bench.board.connectionNumber(), second.connectionNumber()]).toEqual([1, 1]);
    expect(await second.countConnections()).toBeGreaterThanOrEqual(0);
  });

  test("a process never gets the epoch of its namesake, neither as a renewal nor for a write", async () => {
    await using bench = await open();
    const [first, second] = [bench.board, await bench.another()];
    expect(
      await first.acquireLeaderLease({ holder: "h1", leaseMs: 60_000, restarted: true }),
    ).toMatchObject({
      outcome: "held",
      epoch: 1,
    });
    expect(
      await second.acquireLeaderLease({ holder: "h1", leaseMs: 60_000, restarted: true }),
    ).toMatchObject({
      outcome: "held",
      epoch: 2,
    });
    expect(
      await first.acquireLeaderLease({ holder: "h1", leaseMs: 60_000, restarted: false }),
    ).toMatchObject({
      outcome: "taken",
      holder: "h1",
    });
    // A Redis that lost its last second gives an epoch out again.
    expect(await first.moveCursor(2, "5-0")).toEqual({ outcome: "fenced" });
    await first.releaseLeaderLease(2);
    expect(await second.moveCursor(2, "7-0")).toEqual({ outcome: "moved" });
    await second.releaseLeaderLease(2);
    const next = await first.acquireLeaderLease({
      holder: "h1",
      leaseMs: 60_000,
      restarted: false,
    });
    expect(next).toEqual({ outcome: "held", epoch: 3, cursor: "7-0" });
  });

  test("how long ago a leader lease has lapsed is known, and grows", async () => {
    await using bench = await open();
    const { board } = bench;
    await board.acquireLeaderLease({ holder: "h1", leaseMs: 0, restarted: true });
    const expiresInMs = async () => (await board.readLeader())?.expiresInMs ?? 0;
    const first = await waitFor("the lapse to be a while ago", async () => {
      const left = await expiresInMs();
      return left < -20 && left;
    });
    await waitFor("it to be longer ago", async () => (await expiresInMs()) < first);
  });

  test("a lapsed leader lease that no other acquired is renewed under the same epoch; one that was released is free at once", async () => {
    await using bench = await open();
    const { board } = bench;
    await board.acquireLeaderLease({ holder: "h1", leaseMs: 0, restarted: true });
    expect(
      await board.acquireLeaderLease({ holder: "h1", leaseMs: 60_000, restarted: false }),
    ).toMatchObject({
      outcome: "held",
      epoch: 1,
    });
    await board.releaseLeaderLease(7);
    expect(await board.readLeader()).toMatchObject({ holder: "h1" });
    await board.releaseLeaderLease(1);
    expect(await board.readLeader()).toBeUndefined();
    expect(
      await board.acquireLeaderLease({ holder: "h2", leaseMs: 1, restarted: false }),
    ).toMatchObject({
      outcome: "held",
      epoch: 2,
    });
  });
}
