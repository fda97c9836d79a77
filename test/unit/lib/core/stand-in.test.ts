// Another agent of its role reworks an artefact whose producer is gone, each of them once.
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { commitOf } from "../../../../apps/orchestrator/decide/commit-of.ts";
import type { Decision, DecisionInput } from "../../../../lib/core/claim-decision.ts";
import type { AgentRegistration } from "../../../../lib/model/agent.ts";
import { isEnded } from "../../../../lib/model/claim.ts";
import { ClaimSimulation } from "../../../support/claims/claim-simulation.ts";
import {
  agentName,
  newArtefactId,
  sampleAgent,
  sampleArtefact,
} from "../../../support/records/sample.ts";

const at = "2026-01-01T00:00:00.000Z";
const coder = (name: string, over: Partial<AgentRegistration> = {}) =>
  sampleAgent(name, { role: "coder", ...over });
const target = sampleArtefact({
  type: "CodeCommit",
  produced_by_role: "coder",
  produced_by_agent: "coder-2",
});

const followUpOf = (decision: Decision | undefined) =>
  decision?.writes.find((write) => write.kind === "follow_up")?.followUp;
const openedBy = (decision: Decision, input: DecisionInput) =>
  commitOf(decision, { ...input, trigger: { kind: "progress" }, basis: undefined }, () =>
    crypto.randomUUID(),
  ).claims[0];

/** The reviewer, who is not of the role, rejects what `coder-2` has made. */
function rejected(agents: AgentRegistration[]) {
  const claim = new ClaimSimulation([...agents, sampleAgent("reviewer")], { target });
  for (const { name } of claim.agents) claim.bid(name, name === "reviewer" ? "review" : "ignore");
  const { input } = claim;
  const decision = claim.deliver("reviewer", "no");
  return { followUp: followUpOf(decision), opened: decision && openedBy(decision, input) };
}

/** Its rework, among these agents. */
function reworked(agents: AgentRegistration[]): ClaimSimulation {
  const claim = new ClaimSimulation([...agents], { target });
  const { opened } = rejected(agents);
  if (opened === undefined) throw new Error("The rejection has opened no claim.");
  claim.now = opened;
  return claim;
}

function remove(claim: ClaimSimulation, name: string) {
  const index = claim.agents.findIndex((agent) => agent.name === name);
  const [removed] = claim.agents.splice(index, 1);
  return removed && claim.decide({ kind: "agent_removed", agent: removed.name });
}

const silent = (claim: ClaimSimulation, name: string) =>
  claim.decide({ kind: "agent_silent", agent: agentName(name), forMs: 31_000 });

describe("feedback on the work of an agent that is not registered any more", () => {
  test("goes to the first other agent of its role that has a tool", () => {
    const others = [
      coder("coder-4"),
      coder("coder-3"),
      coder("a", { human: true }),
      coder("b", { external: true }),
    ];
    const { followUp, opened } = rejected(others);
    const standIn = { for: "coder-2", because: "It is not registered any more." };
    expect(followUp).toMatchObject({
      kind: "rework",
      agent: "coder-3",
      cause: "rework:1",
      standIn,
    });
    expect(opened).toMatchObject({
      claim: { kind: "rework", stand_in: standIn },
      grants: [{ agent: "coder-3", attempt: 1 }],
    });
  });

  test("goes to the agent itself while it is registered, even if others have its role", () => {
    const { followUp, opened } = rejected([coder("coder-1"), coder("coder-2")]);
    expect(followUp).toMatchObject({ kind: "rework", agent: "coder-2" });
    expect(opened?.claim.stand_in).toBeUndefined();
  });

  test("is a Failure where no other agent has its role", () => {
    expect(rejected([sampleAgent("painter")]).followUp).toMatchObject({
      kind: "failure",
      failure: {
        type: "ProducerGone",
        reason: expect.stringContaining("no other agent has the role coder"),
      },
    });
  });
});

describe("a rework that its agent does not begin", () => {
  test("goes to another of the role when the agent is removed, with what was asked and answered", () => {
    const claim = reworked([coder("coder-1"), coder("coder-2")]);
    const dialogue = [newArtefactId(), newArtefactId()];
    claim.now = { ...claim.now, grants: claim.now.grants.map((grant) => ({ ...grant, dialogue })) };
    const decision = remove(claim, "coder-2");
    const [failure] = claim.now.grants.flatMap((grant) =>
      grant.state === "failed" ? grant.artefact_ids : [],
    );
    const because = "Agent coder-2 was removed before it could do its work.";
    expect(followUpOf(decision)).toEqual({
      kind: "rework",
      agent: agentName("coder-1"),
      reviews: claim.now.claim.additional_context_ids,
      cause: `stand-in:${failure}`,
      standIn: { for: "coder-2", because },
      dialogue,
    });
    expect(claim.now.claim).toMatchObject({
      status: "terminated",
      termination_reason: `Agent coder-2 failed: ${because}`,
    });
    expect(decision && openedBy(decision, claim.input)?.grants).toMatchObject([
      { agent: "coder-1", attempt: 1, dialogue },
    ]);
  });

  test("goes to another of the role when the agent is silent", () => {
    const claim = reworked([coder("coder-1"), coder("coder-2", { retries: 3 })]);
    expect(followUpOf(silent(claim, "coder-2"))).toMatchObject({
      agent: "coder-1",
      standIn: { for: "coder-2", because: "Agent coder-2 has given no sign of life for 31 s." },
    });
  });

  test("waits for a silent agent where there is no other, or where it takes part by hand", () => {
    expect(silent(reworked([coder("coder-2")]), "coder-2")).toBeUndefined();
    expect(
      silent(reworked([coder("coder-1"), coder("coder-2", { external: true })]), "coder-2"),
    ).toBeUndefined();
  });

  test("stays with an agent that has begun it, and fails with its own answer", () => {
    const claim = reworked([coder("coder-1"), coder("coder-2")]);
    claim.start("coder-2");
    expect(silent(claim, "coder-2")).toBeUndefined();
    expect(followUpOf(claim.fail("coder-2", "no idea"))).toBeUndefined();
    expect(claim.now.claim.status).toBe("terminated");
  });

  test("is repeated by another after lost attempts only where the agent's own may be repeated", () => {
    const lose = (claim: ClaimSimulation, attempt: number) => {
      claim.start("coder-2");
      return claim.decide({ kind: "lease_lapsed", agent: agentName("coder-2"), attempt });
    };
    expect(followUpOf(lose(reworked([coder("coder-1"), coder("coder-2")]), 1))).toBeUndefined();
    const claim = reworked([coder("coder-1"), coder("coder-2", { retries: 1 })]);
    expect(followUpOf(lose(claim, 1))).toBeUndefined();
    claim.retryDue("coder-2");
    expect(followUpOf(lose(claim, 2))).toMatchObject({ agent: "coder-1" });
  });
});

test("a bid's work has no stand-in: a claim that is no rework fails with its agent, even if others have its role", () => {
  const claim = new ClaimSimulation([coder("coder-1"), coder("coder-2")]);
  claim.bid("coder-1", "ignore");
  claim.bid("coder-2", "exclusive");
  expect(silent(claim, "coder-2")).toBeUndefined();
  expect(followUpOf(remove(claim, "coder-2"))).toBeUndefined();
  expect(claim.now.claim.status).toBe("terminated");
});

test("a rework goes to each agent of the role at most once, whatever happens to them, and ends", () => {
  const names = ["coder-1", "coder-2", "coder-3", "coder-4"];
  const end = fc.constantFrom("remove", "silent", "lose", "fail", "deliver");
  const step = fc.record({ end, comesBack: fc.boolean() });
  fc.assert(
    fc.property(
      fc.subarray(names, { minLength: 1 }),
      fc.array(step, { minLength: 9, maxLength: 9 }),
      (present, steps) => {
        const agents = present.map((name) => coder(name));
        let { opened } = rejected(agents);
        const taken: string[] = [];
        for (const { end, comesBack } of steps) {
          if (opened === undefined) break;
          const claim = new ClaimSimulation(agents, { target });
          claim.now = opened;
          const agent = String(opened.grants[0]?.agent);
          expect(taken).not.toContain(agent);
          expect(opened.claim.stand_in?.for).toBe(agent === "coder-2" ? undefined : "coder-2");
          taken.push(agent);
          const { input } = claim;
          const registration = claim.agents.find(({ name }) => name === agent);
          const decision = {
            remove: () => remove(claim, agent),
            silent: () => silent(claim, agent),
            fail: () => claim.fail(agent, "no idea"),
            deliver: () => claim.deliver(agent),
            lose: () => {
              claim.start(agent);
              return claim.decide({ kind: "lease_lapsed", agent: agentName(agent), attempt: 1 });
            },
          }[end]();
          if (end === "remove" && comesBack && registration) agents.push(registration);
          // A silent agent is waited for where no other is left.
          expect(isEnded(claim.now.claim.status)).toBe(decision !== undefined);
          opened = decision && openedBy(decision, { ...input, at });
        }
        expect(taken.length).toBeLessThanOrEqual(names.length);
      },
    ),
    { numRuns: 500 },
  );
});
