import { describe, expect, test } from "bun:test";
import { artefactGraph, type ReviewedHead } from "../../../../lib/core/artefact-graph.ts";
import { goalResult } from "../../../../lib/core/goal-result.ts";
import type { Artefact } from "../../../../lib/model/artefact.ts";
import { type ClaimSnapshot, type DoneGrant, Grant } from "../../../../lib/model/claim.ts";
import { CommitHash } from "../../../../lib/model/ids.ts";
import { derived, nextVersion } from "../../../support/records/lineage.ts";
import { agentName, sampleClaim } from "../../../support/records/sample.ts";

const hash = (digit: string) => CommitHash.parse(digit.repeat(40));
const goal = derived([], { metadata: { summary: "Paint it", commit: hash("0") } });

function commitOn(sources: readonly Artefact[], digit: string): Artefact {
  return derived(sources, {
    type: "CodeCommit",
    payload: hash(digit),
    metadata: { commit: hash(digit), summary: `Commit ${digit}` },
    produced_by_agent: "coder",
  });
}

function done(agent: string, phase: Grant["phase"], answer: Artefact, over: object = {}): Grant {
  return Grant.parse({
    ...{ agent, phase, attempt: 1, state: "done", context_ids: [], artefact_ids: [answer.id] },
    queued_at: answer.created_at,
    started_at: answer.created_at,
    ended_at: answer.created_at,
    run_id: "4dd1ea28-3a35-4b7c-8d4f-4f0e8f9c2d11",
    ...over,
  });
}

function claimed(about: Artefact, grants: Grant[], status = "complete" as const): ClaimSnapshot {
  return { claim: sampleClaim(about, ["x"], { status, bidding: "closed" }), grants };
}

function resultOf(
  artefacts: readonly ReviewedHead[],
  claims: ClaimSnapshot[] = [],
  state: Parameters<typeof goalResult>[1] = "achieved",
  agents: Parameters<typeof goalResult>[2] = [],
) {
  const graph = artefactGraph({ goal: goal.goal_id, artefacts, outside: [], claims });
  return goalResult(graph, state, agents);
}

const review = (of: Artefact, metadata: object = {}, payload = "{}") =>
  derived([of], {
    ...{ structural_type: "Review", type: "Review", payload },
    metadata: { summary: "approves", ...metadata },
  });

describe("the result of a goal", () => {
  const first = commitOn([goal], "1");
  const second = { ...nextVersion(first), metadata: { commit: hash("2"), summary: "Better" } };

  test("is the newest version, and the commit that was made from the others", () => {
    const onTop = commitOn([second], "3");
    const { commits, start } = resultOf([goal, first, second, onTop]);
    expect([start, commits.map(({ commit }) => commit)]).toEqual([hash("0"), [hash("3")]]);
  });

  test("is several commits where none has another in its lineage, and each commit once", () => {
    const [door, wall, same] = [
      commitOn([goal], "4"),
      commitOn([goal], "5"),
      commitOn([goal], "4"),
    ];
    const { commits } = resultOf([goal, door, wall, same]);
    expect(commits.map(({ artefact }) => artefact)).toEqual([wall.id, same.id]);
  });

  test("has no commit that a reviewer has sent back", () => {
    const feedback = review(first, {}, '{"reason":"too red"}');
    const grant = done("reviewer", "review", feedback, { rejects: true });
    const sentBack: ClaimSnapshot = {
      claim: sampleClaim(first, ["reviewer"], { status: "terminated", bidding: "closed" }),
      grants: [grant],
    };
    expect(resultOf([goal, first, feedback], [sentBack], "failed").commits).toEqual([]);
  });

  test("has none where all that has landed was taken back, and has it again once more has landed", () => {
    const landed = (of: Artefact, onto: string, to: string, by?: string) =>
      derived([of], {
        ...{ structural_type: "Terminal", type: "Landed", produced_by_agent: "merge" },
        metadata: { lane: "main", onto: onto && hash(onto), commit: hash(to), reverted_by: by },
      });
    const [there, back] = [commitOn([goal], "4"), landed(commitOn([goal], "4"), "", "5")];
    const request = derived([back], {
      ...{ type: "CodeCommit", produced_by_agent: "", produced_by_role: "user" },
      metadata: { commit: hash("6"), reverts: "main", by: "Ada" },
    });
    const before = [goal, there, { ...back, source_artefacts: [there.id] }];
    const isAsked = resultOf([...before, request]);
    expect([isAsked.commits.map(({ artefact }) => artefact), isAsked.reverts]).toEqual([
      [back.id],
      [],
    ]);
    const gone = landed(request, "5", "7", "Ada <ada@example.org>");
    const taken = resultOf([...before, request, gone]);
    expect(taken.commits).toEqual([]);
    expect(taken.reverts).toEqual([
      {
        ...{ lane: "main", by: "Ada <ada@example.org>", artefact: gone.id, at: gone.created_at },
      },
    ] as unknown as typeof taken.reverts);
    const anew = landed(commitOn([gone], "8"), "7", "9");
    const again = resultOf([...before, request, gone, anew]);
    expect([again.commits.map(({ artefact }) => artefact), again.reverts]).toEqual([[anew.id], []]);
  });

  test("says which checks have passed on the newest version, the newest attempt of each agent", () => {
    const old = derived([first], { type: "Failure", structural_type: "Failure" });
    const failed = derived([second], { type: "Failure", structural_type: "Failure" });
    const report = derived([second], { type: "TestReport", metadata: { summary: "9 of 9" } });
    const failure = (of: Artefact) =>
      ({ ...done("tester", "parallel", of), state: "failed", reason: "exit 1" }) as Grant;
    const { checks, others } = resultOf(
      [goal, first, second, old, failed, report],
      [
        claimed(first, [failure(old)]),
        claimed(second, [failure(failed)]),
        claimed(second, [done("tester", "parallel", report)]),
      ],
    );
    expect(checks).toEqual([
      {
        ...{ agent: "tester", phase: "parallel", about: second.id, outcome: "passed" },
        ...{ artefact: report.id, summary: "9 of 9" },
      },
    ]);
    expect(others).toEqual([]);
  });

  test("takes parallel work on the goal, and work that has a commit, for no check", () => {
    const report = derived([goal], { type: "Plan", produced_by_agent: "planner" });
    const painted = commitOn([first], "6");
    const { checks, others } = resultOf(
      [goal, first, report, painted],
      [
        claimed(goal, [done("planner", "parallel", report)]),
        claimed(first, [done("painter", "parallel", painted)]),
      ],
    );
    expect(checks).toEqual([]);
    expect(others.map(({ artefact }) => artefact)).toEqual([report.id]);
  });

  test("names the person who has approved and the words, and believes no agent that says so", () => {
    const by = "Ada Lovelace <ada@example.org>";
    const ofPerson = review(first, { by, comment: "Looks good" });
    const ofAgent = review(first, { by: "Grace Hopper", comment: "I am a person" });
    const byHand = review(first, { by: "Grace Hopper", comment: "I am a person, too" });
    const { approvals, checks } = resultOf(
      [goal, first, ofPerson, ofAgent, byHand],
      [
        claimed(first, [
          done("owners", "review", ofPerson, { run_id: undefined }),
          done("reviewer", "review", ofAgent),
          done("hand", "review", byHand, { run_id: undefined }),
        ]),
      ],
      "achieved",
      [{ name: agentName("owners"), human: true }, { name: agentName("hand") }],
    );
    expect(approvals.map(({ agent, words, by: name }) => [agent, words, name])).toEqual([
      ["owners", "Looks good", by],
    ]);
    expect(checks.map(({ agent, outcome }) => [agent, outcome])).toEqual([
      ["reviewer", "passed"],
      ["hand", "passed"],
    ]);
  });

  test("took until its last grant ended, and no time is known while it goes on", () => {
    const ended_at = new Date(Date.parse(goal.created_at) + 192_000).toISOString();
    const last = { ...(done("tester", "parallel", first) as DoneGrant), ended_at };
    const claims = [claimed(first, [{ ...last, agent: agentName("tester") }])];
    expect(resultOf([goal, first], claims).duration_ms).toBe(192_000);
    expect(resultOf([goal, first], claims, "waiting")).toMatchObject({
      ended_at: null,
      duration_ms: null,
    });
  });
});
