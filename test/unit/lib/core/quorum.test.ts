import { describe, expect, test } from "bun:test";
import { involvedIn, type Origin, posterOf } from "../../../../lib/core/involved.ts";
import {
  afterVerdict,
  discounted,
  isApproved,
  progressOf,
  quorumFor,
} from "../../../../lib/core/quorum.ts";
import { retryClaim } from "../../../../lib/core/retry-claim.ts";
import type { DoneGrant, WaitingGrant } from "../../../../lib/model/claim.ts";
import { approvalsOf, type Quorum } from "../../../../lib/model/quorum.ts";
import { ClaimSimulation } from "../../../support/claims/claim-simulation.ts";
import {
  agentName,
  newArtefactId,
  newClaimId,
  sampleAgent,
  sampleArtefact,
} from "../../../support/records/sample.ts";

const people = [{ name: "ada", email: "Ada@example.org" }, { name: "bob" }, { name: "eve" }];
const at = "2026-01-01T00:00:00.000Z";
const base = {
  ...{ agent: agentName("owner"), phase: "review" as const, attempt: 1 },
  ...{ queued_at: at, started_at: at, context_ids: [] },
};
const waiting = (quorum?: Quorum): WaitingGrant => ({
  ...{ ...base, state: "waiting", waits_for: { kind: "approval" } },
  ...(quorum && { quorum }),
});
const verdict = (by: string, approves = true) => ({ review: newArtefactId(), at, by, approves });

describe("a rule", () => {
  test("is none where one approval of any person is enough", () => {
    expect(quorumFor({ people }, undefined)).toBeUndefined();
  });

  test("names the people whose approval does not count by their addresses, or else their names, each once", () => {
    const involved = {
      ...{ poster: ["ada@example.org"], answerer: ["Ada L. <ADA@example.org>", "mallory"] },
      ...{ hand: ["eve"], approver_of_input: ["bob"] },
    };
    expect(quorumFor({ people, not_by: ["poster", "answerer", "hand"] }, involved)).toEqual({
      needed: 1,
      not_by: ["ada@example.org", "eve"],
    });
    expect(quorumFor({ people, approvals: 2 }, involved)).toEqual({ needed: 2 });
  });
});

describe("an approval", () => {
  const quorum = {
    needed: 2,
    not_by: ["eve"],
    approvals: [{ review: newArtefactId(), by: "ada" }],
  };

  test.each([
    ["Ada <ada@example.org>", "again"],
    ["ada@example.org", "again"],
    ["eve", "involved"],
    ["mallory", "stranger"],
    ["bob", undefined],
  ])("of %s counts unless it is not so: %p", (by, why) => {
    expect(discounted(by, approvalsOf(quorum), people)).toEqual(why as never);
  });

  test("leaves the grant waiting until there are enough, and a rejection ends it", () => {
    const one = verdict("ada");
    const first = afterVerdict(waiting({ needed: 2 }), one, people) as WaitingGrant;
    expect(first).toMatchObject({
      state: "waiting",
      quorum: { approvals: [{ review: one.review, by: "ada" }] },
    });
    const [second, no] = [verdict("bob"), verdict("bob", false)];
    expect(afterVerdict(first, second, people)).toMatchObject({
      ...{ state: "done", artefact_ids: [second.review, one.review] },
    });
    expect(afterVerdict(first, no, people)).toMatchObject({
      ...{ state: "done", artefact_ids: [no.review, one.review] },
    });
    expect(afterVerdict(waiting(), one, people)).toMatchObject({ state: "done" });
  });

  test("of a person who has left, or by another name of one person, does not make it enough", () => {
    const approvedBy = (...names: string[]) =>
      waiting({
        needed: 2,
        approvals: names.map((by) => ({ review: newArtefactId(), by })),
      });
    expect(afterVerdict(approvedBy("mallory"), verdict("bob"), people).state).toBe("waiting");
    expect(afterVerdict(approvedBy("ada"), verdict("A <ada@example.org>"), people).state).toBe(
      "waiting",
    );
    expect(afterVerdict(approvedBy("mallory", "ada"), verdict("bob"), people)).toMatchObject({
      state: "done",
      artefact_ids: { length: 3 },
    });
  });

  test("may still come of those who have given none, and had no part", () => {
    expect(progressOf(quorum, people)).toEqual({
      approvals: { needed: 2, by: ["ada"], not_by: ["eve"] },
      may_approve: ["bob"],
    });
  });

  test("counts by its Review: once for a person, and not for a stranger", () => {
    const [one, two, three] = [newArtefactId(), newArtefactId(), newArtefactId()];
    const done: DoneGrant = {
      ...{ ...base, state: "done", ended_at: at, artefact_ids: [two, one] },
      quorum: { needed: 2, not_by: ["eve"] },
    };
    const by = (id: typeof one, name: string, approves = true) => ({
      ...{ id, agent: "owner", approves, excerpt: "", by: name },
    });
    const isEnough = (...names: [string, string]) =>
      isApproved(done, [by(one, names[0]), by(two, names[1]), by(three, "bob")], people);
    expect(isEnough("ada", "bob")).toBe(true);
    expect(isEnough("ada", "A <ada@example.org>")).toBe(false);
    expect(isEnough("ada", "eve")).toBe(false);
    expect(isEnough("ada", "mallory")).toBe(false);
    expect(isApproved(done, [by(one, "ada"), by(two, "eve", false)], people)).toBe(true);
  });
});

test("the orchestrator asks again where too few have approved, and goes on where enough have", () => {
  const owner = { human: true as const, people, approvals: 2 };
  const claim = new ClaimSimulation([
    sampleAgent("owner", { ...owner, bids: [{ on: "*", bid: "review" }] }),
    sampleAgent("coder", { bids: [{ on: "*", bid: "exclusive" }] }),
  ]);
  claim.decide();
  const approve = (names: readonly string[]) => {
    const artefact_ids = names.map((by) => {
      const id = newArtefactId();
      claim.reviews.push({ ...{ id, agent: "owner", approves: true, excerpt: "" }, by });
      return id;
    });
    const grants = claim.now.grants.map((grant) => {
      if (grant.state !== "waiting") return grant;
      const { waits_for: _, ...rest } = grant;
      return { ...rest, state: "done" as const, ended_at: at, artefact_ids };
    });
    claim.now = { ...claim.now, grants };
    claim.decide();
  };
  approve(["ada"]);
  expect(claim.now.grants).toMatchObject([
    { agent: "owner", state: "waiting", attempt: 2, quorum: { needed: 2 } },
  ]);
  approve(["ada", "bob"]);
  expect(claim.now.grants).toMatchObject([
    { agent: "owner", state: "done", attempt: 2 },
    { agent: "coder", state: "queued" },
  ]);
});

describe("a part in the work", () => {
  const [draft, plan] = [newArtefactId(), newArtefactId()];
  const [question, answer, review] = [newArtefactId(), newArtefactId(), newArtefactId()];
  const by = new Map([
    [answer, "bob"],
    [review, "eve"],
  ]);
  const made = { ...base, state: "done" as const, ended_at: at };
  const origins: Origin[] = [
    {
      ...{ id: draft, version: 1, postedBy: undefined },
      grants: [
        { ...made, artefact_ids: [review] },
        { ...made, phase: "exclusive", artefact_ids: [draft], dialogue: [question, answer] },
      ],
    },
    { id: plan, version: 1, postedBy: "mallory", grants: [] },
  ];
  const involved = (all: readonly Origin[]) => involvedIn("ada", all, (id) => by.get(id));

  test("is that of the poster, of those who have answered, posted and approved on the way back", () => {
    expect(involved(origins)).toEqual({
      ...{ poster: ["ada"], answerer: ["bob"], hand: ["mallory"], approver_of_input: ["eve"] },
    });
  });

  test("is none of those who have approved an earlier version", () => {
    const later = origins.map((one) => ({ ...one, version: 2 }));
    expect(involved(later).approver_of_input).toEqual([]);
  });

  test.each([
    ["person:Ada <ADA@example.org>", "ada@example.org"],
    ["person:Ada, by claude-code <ada@example.org>", "ada@example.org"],
    ["person:Ada, by claude-code", "ada"],
    ["person:Ada", "ada"],
    ["trigger:nightly", undefined],
    ["hand", undefined],
  ])("of the poster %s is that of %p", (actor, name) => {
    expect(posterOf(actor)).toEqual(name as never);
  });
});

test("a retry asks for as many approvals again, where another review has failed meanwhile", () => {
  const owner = { human: true as const, people, approvals: 2 };
  const agents = [
    sampleAgent("owner", { ...owner, bids: [{ on: "*", bid: "review" }] }),
    sampleAgent("checker", { bids: [{ on: "*", bid: "review" }] }),
  ];
  const claim = new ClaimSimulation(agents);
  claim.decide();
  claim.fail("checker", "No memory");
  const lost = claim.now.grants.find(({ state }) => state === "failed");
  const [id = newArtefactId()] = lost?.state === "failed" ? lost.artefact_ids : [];
  const retried = retryClaim({
    failure: sampleArtefact({ id, structural_type: "Failure", produced_by_agent: "checker" }),
    ...{ failed: claim.now, retries: new Map(), agents, isWanted: true, id: newClaimId(), at },
  });
  expect(retried).toMatchObject({
    ok: true,
    grants: [{ agent: "checker" }, { agent: "owner", state: "waiting", quorum: { needed: 2 } }],
  });
});
