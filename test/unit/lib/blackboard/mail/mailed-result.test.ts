// An agent may send this as its result, and the rest is filled in where it says less.
import { describe, expect, test } from "bun:test";
import {
  mailedResult,
  mailedResultProblem,
  type ResultOrigin,
  saysEnough,
  wholeResult,
} from "../../../../../lib/blackboard/mail/mailed-result.ts";
import type { GrantResult } from "../../../../../lib/blackboard/port/grants.ts";
import { type Artefact, maxPayloadBytes } from "../../../../../lib/model/artefact.ts";
import { type CommitHash, LogicalId } from "../../../../../lib/model/ids.ts";
import {
  agentName,
  newArtefactId,
  newClaimId,
  newGoalId,
  sampleArtefact,
} from "../../../../support/records/sample.ts";

const [claimId, goal, target, thread] = [
  newClaimId(),
  newGoalId(),
  newArtefactId(),
  LogicalId.parse(newArtefactId()),
];
const origin: ResultOrigin = {
  claim: { id: claimId, artefact_id: target, goal_id: goal, kind: "standard" },
  grant: { agent: agentName("coder"), phase: "exclusive" },
  role: "programmer",
  target: undefined,
};
const rework: ResultOrigin = {
  ...origin,
  claim: { ...origin.claim, kind: "rework" },
  target: { logical_id: thread, version: 2 },
};
const review: ResultOrigin = { ...origin, grant: { ...origin.grant, phase: "review" } };
const clarification: ResultOrigin = {
  ...origin,
  claim: { ...origin.claim, kind: "clarification" },
};

function result(
  over: Partial<Artefact> = {},
  outcome: GrantResult["outcome"] = "done",
): GrantResult {
  const whole = {
    type: "Report",
    ...{ goal_id: goal, claim_id: claimId, source_artefacts: [target] },
    ...{ produced_by_agent: "coder", produced_by_role: "programmer" },
  };
  const artefact = sampleArtefact({ ...whole, ...over });
  return outcome === "failed" ? { outcome, artefact, reason: "no" } : { outcome, artefact };
}

const landing: Partial<Artefact> = {
  ...{ structural_type: "Terminal", type: "Landed", payload: "c".repeat(40) },
  metadata: { lane: "main", onto: "", commit: "c".repeat(40) as CommitHash },
};

describe("a result is taken", () => {
  test.each([
    ["of exclusive work", result(), origin],
    ["that ends the goal", result({ structural_type: "Terminal" }), origin],
    ["that is a Review", result({ structural_type: "Review" }), review],
    ["that sends its target back", result({ structural_type: "Review", payload: "no" }), origin],
    ["that asks", result({ structural_type: "Question" }, "asked"), origin],
    ["that answers", result({ structural_type: "Answer" }), clarification],
    [
      "that has failed",
      result({ structural_type: "Failure", source_artefacts: [] }, "failed"),
      review,
    ],
    ["that lands", result(landing), { ...origin, lane: "main" } as ResultOrigin],
    ["that is the next version", result({ logical_id: thread, version: 3 }), rework],
  ] as const)("%s", (_, one, of) => {
    expect(mailedResultProblem(one, of)).toBeUndefined();
  });
});

describe("a result is refused", () => {
  test.each([
    [
      "that another agent has made",
      { produced_by_agent: "critic" },
      origin,
      /agent critic has made it/,
    ],
    ["that a person has made", { produced_by_agent: "" }, origin, /has made it/],
    [
      "of another role",
      { produced_by_role: "user" },
      origin,
      /of role user, and its agent's is programmer/,
    ],
    ["of another claim", { claim_id: newClaimId() }, origin, /is of claim/],
    ["of no claim", { claim_id: "" as const }, origin, /of claim none/],
    ["of another goal", { goal_id: newGoalId() }, origin, /is of goal/],
    [
      "that continues a thread which is not its own",
      { logical_id: thread },
      origin,
      /cannot be version 1 of thread/,
    ],
    ["that begins with a later version", { version: 2 }, origin, /cannot be version 2/],
    ["that continues another thread than it was asked to", {}, rework, /cannot be version 1/],
    [
      "that moves a lane, by an agent that has none",
      {
        ...{ structural_type: "Terminal", type: "Landed" },
        metadata: { lane: "main", onto: "", commit: "c".repeat(40) },
      },
      origin,
      /the type Landed, which is Sett's own/,
    ],
    [
      "that moves its lane to another commit than it names",
      {
        ...{ structural_type: "Terminal", type: "Landed", payload: "d".repeat(40) },
        metadata: { lane: "main", onto: "", commit: "c".repeat(40) },
      },
      { ...origin, lane: "main" },
      /does not say from where to where the lane main moves/,
    ],
    [
      "that moves another lane",
      {
        ...{ structural_type: "Terminal", type: "Landed" },
        payload: "c".repeat(40),
        metadata: { lane: "other", onto: "", commit: "c".repeat(40) },
      },
      { ...origin, lane: "main" },
      /does not say from where to where the lane main moves/,
    ],
    [
      "that approves without having been asked",
      { structural_type: "Review", payload: "{}" },
      origin,
      /can only send its target back/,
    ],
    [
      "that sends back what it was to make again",
      { structural_type: "Review", logical_id: thread, version: 3 },
      rework,
      /ends with Standard, and not with Review/,
    ],
    ["that does not judge", {}, review, /ends with Review, and not with Standard/],
    [
      "that answers where nothing was asked",
      { structural_type: "Answer" },
      origin,
      /not with Answer/,
    ],
    [
      "that names another question first",
      { structural_type: "Answer", source_artefacts: [newArtefactId(), target] },
      clarification,
      /names its question/,
    ],
    [
      "that does not say what it was made from",
      { source_artefacts: [newArtefactId()] },
      origin,
      /does not name/,
    ],
    [
      "that is too large",
      { payload: "ü".repeat(maxPayloadBytes / 2 + 1) },
      origin,
      /at most 16777216 \(16 MiB\)/,
    ],
  ] as const)("%s", (_, over, of, problem) => {
    expect(mailedResultProblem(result(over as Partial<Artefact>), of)).toMatch(problem);
  });

  test("that says Failure where the work is done, or the other way round", () => {
    expect(mailedResultProblem(result({ structural_type: "Failure" }), origin)).toMatch(
      /not with Failure/,
    );
    expect(mailedResultProblem(result({}, "failed"), origin)).toMatch(/ends with Failure/);
    expect(mailedResultProblem(result({}, "asked"), origin)).toMatch(/ends with Question/);
  });
});

describe("a list of pieces", () => {
  const list = newArtefactId();
  const piece = (
    key: string,
    over: { id?: Artefact["id"]; metadata?: Artefact["metadata"] } = {},
  ) => ({
    ...{
      key,
      id: newArtefactId(),
      type: "File",
      payload: "",
      metadata: {} as Artefact["metadata"],
    },
    ...over,
  });
  const read = (...pieces: ReturnType<typeof piece>[]) =>
    wholeResult(
      { outcome: "done", artefact: { id: list, type: "Plan", payload: "" }, pieces },
      origin,
      { newId: newArtefactId, at: "2026-01-01T00:00:00.000Z" },
    );

  test("is refused where two pieces have one key, or one of them the id of the list", () => {
    expect(mailedResultProblem(read(piece("a"), piece("b")), origin)).toBeUndefined();
    expect(mailedResultProblem(read(piece("a"), piece("a")), origin)).toMatch(/same key/);
    expect(mailedResultProblem(read(piece("a", { id: list })), origin)).toMatch(/same id/);
  });

  test("has no piece that says of itself which pieces it has", () => {
    const forged = { pieces: [{ key: "x", id: newArtefactId() }], note: "kept" };
    const [made] = (read(piece("a", { metadata: forged })) as { pieces: Artefact[] }).pieces;
    expect(made?.metadata).toEqual({ note: "kept" });
  });
});

describe("what the message leaves out", () => {
  const id: string = newArtefactId();
  const fresh = { newId: () => id, at: "2026-01-01T00:00:00.000Z" };
  const less = { type: "Report", payload: "done" };

  test.each([
    ["exclusive work", origin, "done", { structural_type: "Standard", version: 1 }],
    ["a review", review, "done", { structural_type: "Review", version: 1 }],
    ["an answer", clarification, "done", { structural_type: "Answer", version: 1 }],
    ["a question", origin, "asked", { structural_type: "Question", version: 1 }],
    ["a rework", rework, "done", { structural_type: "Standard", version: 3, logical_id: thread }],
    ["a rework that asks", rework, "asked", { structural_type: "Question", version: 1 }],
  ] as const)("is as the record has it: %s", (_, of, outcome, expected) => {
    const whole = wholeResult({ outcome, artefact: less }, of, fresh);
    expect(whole.artefact).toMatchObject({
      ...less,
      ...expected,
      id,
      created_at: fresh.at,
      claim_id: claimId,
    });
    expect(whole.artefact).toMatchObject({
      produced_by_agent: "coder",
      produced_by_role: "programmer",
      goal_id: goal,
    });
    expect(mailedResultProblem(whole, of)).toBeUndefined();
    expect(wholeResult({ outcome, artefact: less }, of, fresh)).toEqual(whole);
  });

  test("is known to be left out, each member by itself", () => {
    const { artefact } = result();
    const made = ["produced_by_agent", "produced_by_role", "claim_id"];
    const checked = ["logical_id", "version", ...made];
    expect(saysEnough({ outcome: "done", artefact })).toBeTrue();
    for (const name of Object.keys(artefact)) {
      expect(saysEnough({ outcome: "done", artefact: { ...artefact, [name]: undefined } })).toBe(
        checked.includes(name),
      );
    }
  });

  test.each([
    ["a Terminal", origin, { structural_type: "Terminal" }],
    [
      "the next version of a thread",
      rework,
      { structural_type: "Standard", version: 3, logical_id: thread },
    ],
    ["a new thread", origin, { structural_type: "Standard" }],
    [
      "what another agent has made",
      origin,
      { structural_type: "Terminal", produced_by_agent: "critic" },
    ],
  ] as const)("is left out by the cub only where it is made again alike: %s", (_, of, over) => {
    const whole = result(over);
    const now = { ...fresh, at: whole.artefact.created_at };
    expect(wholeResult(mailedResult(whole, { claim: claimId, agent: "coder" }), of, now)).toEqual(
      whole,
    );
  });

  test("is a Failure's type, where it gives no reason", () => {
    expect(wholeResult({ outcome: "failed", artefact: less }, origin, fresh)).toMatchObject({
      reason: "Report",
      artefact: { structural_type: "Failure" },
    });
  });

  test("is not filled in over what the message says, but for the time", () => {
    const { artefact } = result({
      produced_by_agent: "critic",
      created_at: "2999-01-01T00:00:00.000Z",
    });
    const whole = wholeResult({ outcome: "done", artefact }, origin, fresh);
    expect(whole).toEqual({ outcome: "done", artefact: { ...artefact, created_at: fresh.at } });
  });
});
