// One agent that is alive and idle works, of several that have bid `exclusive`.
import { describe, expect, test } from "bun:test";
import type { ClaimWrite } from "../../../../lib/core/claim-decision.ts";
import { ClaimSimulation } from "../../../support/claims/claim-simulation.ts";
import { agentName, newArtefactId, sampleAgent } from "../../../support/records/sample.ts";

type Name = "a" | "b" | "c";
type State = "silent" | "busy" | "idle";

const names: readonly Name[] = ["a", "b", "c"];

function rivals(
  states: Partial<Record<Name, State>>,
  agents = names.map((name) => sampleAgent(name)),
) {
  const claim = new ClaimSimulation(agents);
  know(claim, states);
  return claim;
}

function know({ presence }: ClaimSimulation, states: Partial<Record<Name, State>>) {
  presence.silent.clear();
  presence.atWork.clear();
  for (const name of names) {
    if (states[name] === "silent") presence.silent.add(agentName(name));
    if (states[name] === "busy") presence.atWork.set(agentName(name), 5);
  }
}

function granted(claim: ClaimSimulation) {
  for (const name of names) claim.bid(name, "exclusive");
  return claim.now.grants.map(({ agent, state }) => `${agent} ${state}`);
}

const waits = (agent: Name) => ({
  kind: "grant_waits" as const,
  agent: agentName(agent),
  forMs: 12_000,
});
const moveIn = (writes: readonly ClaimWrite[] = []) =>
  writes.find((write) => write.kind === "move");

describe("the choice between equal bids", () => {
  test.each([
    [{}, "a"],
    [{ a: "silent" }, "b"],
    [{ a: "busy" }, "b"],
    [{ a: "busy", b: "silent" }, "c"],
    [{ a: "silent", b: "busy", c: "busy" }, "b"],
    [{ a: "silent", b: "silent", c: "silent" }, "a"],
    [{ a: "busy", b: "busy", c: "busy" }, "a"],
  ] as [Partial<Record<Name, State>>, Name][])("with %j %s works", (states, chosen) => {
    expect(granted(rivals(states))).toEqual([`${chosen} queued`]);
  });

  test("the write names who was idle, busy and silent, in the order of their bids", () => {
    const claim = rivals({ a: "silent", c: "busy" });
    claim.bid("c", "exclusive");
    claim.bid("b", "exclusive");
    const write = claim.bid("a", "exclusive")?.writes.find(({ kind }) => kind === "enter");
    expect(write).toMatchObject({
      rivals: { idle: ["b"], busy: [{ agent: "c", before: 5 }], silent: ["a"] },
    });
  });

  test("where all are busy, the one with the least to do for each of its workers works", () => {
    const claim = rivals({}, [
      sampleAgent("a", { replicas: 2 }),
      sampleAgent("b"),
      sampleAgent("c"),
    ]);
    for (const [name, count] of [
      ["a", 7],
      ["b", 4],
      ["c", 3],
    ] as const)
      claim.presence.atWork.set(agentName(name), count);
    expect(granted(claim)).toEqual(["a queued"]);
    const other = rivals({ a: "silent" });
    for (const [name, count] of [
      ["b", 4],
      ["c", 3],
    ] as const)
      other.presence.atWork.set(agentName(name), count);
    expect(granted(other)).toEqual(["c queued"]);
  });

  test("a single bidder works, whatever is known of it, and the write names no others", () => {
    const claim = rivals({ b: "silent" });
    claim.bid("a", "ignore");
    claim.bid("b", "exclusive");
    const decision = claim.bid("c", "ignore");
    expect(claim.stateOf("b")).toBe("queued");
    expect(decision?.writes.find(({ kind }) => kind === "enter")).not.toHaveProperty("rivals");
  });

  test("an agent with several workers is idle while one of them is free", () => {
    const claim = rivals({}, [
      sampleAgent("a", { replicas: 3 }),
      sampleAgent("b"),
      sampleAgent("c"),
    ]);
    claim.presence.atWork.set(agentName("a"), 2);
    expect(granted(claim)).toEqual(["a queued"]);
    const full = rivals({}, [
      sampleAgent("a", { replicas: 3 }),
      sampleAgent("b"),
      sampleAgent("c"),
    ]);
    full.presence.atWork.set(agentName("a"), 3);
    expect(granted(full)).toEqual(["b queued"]);
  });

  test("an agent that was removed after its bid is not preferred to one that is there", () => {
    const claim = rivals({});
    claim.bid("a", "exclusive");
    claim.bid("b", "exclusive");
    claim.agents.splice(0, 1);
    claim.bid("c", "exclusive");
    expect(claim.stateOf("b")).toBe("queued");
  });
});

describe("a queued grant that waits", () => {
  test.each(["silent", "busy"] as const)(
    "moves from an agent that is %s to an idle one, which completes the claim",
    (state) => {
      const claim = rivals({});
      granted(claim);
      know(claim, { a: state, b: "busy" });
      const move = moveIn(claim.decide(waits("a"))?.writes);
      expect(move).toMatchObject({
        from: { agent: "a", moved_to: "c" },
        grant: { agent: "c", attempt: 1, state: "queued" },
      });
      expect(move?.rivals.idle).toEqual([agentName("c")]);
      expect([claim.stateOf("a"), claim.stateOf("c")]).toEqual(["cancelled", "queued"]);
      claim.deliver("c");
      expect(claim.now.claim.status).toBe("complete");
    },
  );

  test("counts not as work of its own agent", () => {
    const claim = rivals({});
    granted(claim);
    claim.presence.atWork.set(agentName("a"), 1);
    expect(claim.decide(waits("a"))).toBeUndefined();
    claim.presence.atWork.set(agentName("a"), 2);
    expect(moveIn(claim.decide(waits("a"))?.writes)?.grant.agent).toBe(agentName("b"));
  });

  test("comes back as a further attempt", () => {
    const claim = rivals({ c: "busy" });
    granted(claim);
    know(claim, { a: "silent", c: "busy" });
    claim.decide(waits("a"));
    know(claim, { b: "silent", c: "busy" });
    expect(moveIn(claim.decide(waits("b"))?.writes)?.grant).toMatchObject({
      agent: "a",
      attempt: 2,
      state: "queued",
    });
    claim.deliver("a");
    expect(claim.now.claim.status).toBe("complete");
  });

  test("stays where no other agent is idle, in a pause, and once it has begun", () => {
    const claim = rivals({});
    granted(claim);
    know(claim, { a: "silent", b: "busy", c: "silent" });
    expect(claim.decide(waits("a"))).toBeUndefined();
    know(claim, { a: "silent" });
    claim.isPaused = true;
    expect(claim.decide(waits("a"))).toBeUndefined();
    claim.isPaused = false;
    claim.start("a");
    expect(claim.decide(waits("a"))).toBeUndefined();
  });

  test("stays with an agent that continues a dialogue, and with one that takes part by hand", () => {
    const claim = rivals({});
    granted(claim);
    know(claim, { a: "silent" });
    claim.now = {
      ...claim.now,
      grants: claim.now.grants.map((grant) => ({ ...grant, dialogue: [newArtefactId()] })),
    };
    expect(claim.decide(waits("a"))).toBeUndefined();
    const hand = { external: true, bids: [{ on: "*", bid: "exclusive" }] } as const;
    const byHand = rivals({}, [
      sampleAgent("a", { ...hand, bids: [...hand.bids] }),
      sampleAgent("b"),
      sampleAgent("c"),
    ]);
    granted(byHand);
    know(byHand, { a: "busy" });
    expect(byHand.decide(waits("a"))).toBeUndefined();
  });
});
