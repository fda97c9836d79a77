// The clans that the simulation plays: who bids on what, and what each agent's tool makes of its
// input.

import type { AgentRegistration } from "../../lib/model/agent.ts";
import { isApproval } from "../../lib/model/approval.ts";
import type { Artefact } from "../../lib/model/artefact.ts";
import type { BidRule, BidWord } from "../../lib/model/bid.ts";
import type { KnownPerson } from "../../lib/model/people.ts";
import { defaultPolicy, type Policy } from "../../lib/model/policy.ts";
import { notByWords } from "../../lib/model/quorum.ts";
import type { ToolInput } from "../../lib/model/tool-contract.ts";
import type { Random } from "../chaos/random.ts";
import { sampleAgent } from "../support/records/sample.ts";
import type { Answer } from "./tools.ts";

/**
 * `answer`: of an agent with a tool. Without one it is a person, or takes part by hand and is
 * silent.
 */
export type Member = { registration: AgentRegistration; answer?: Answer };

export type Scenario = { name: string; members: Member[]; policy: Policy; grantLeaseMs: number };

const rule = (on: string, bid: BidWord): BidRule => ({ on, bid });
const standard = (type: string, payload: unknown = type) => ({
  artefact_type: type,
  artefact_payload: payload,
  summary: "",
});
const terminal = (type: string) => ({ ...standard(type), structural_type: "Terminal" });
const question = (type: string) => ({ ...standard(type, `${type}?`), structural_type: "Question" });

/** Whether this question was asked before, and answered. */
const knows = ({ additional_context: given }: ToolInput, type: string) =>
  given.some((artefact) => artefact.type === type);
const notSo = { structural_type: "Review", payload: "Not so." };
const isQuestion = ({ target_artefact }: ToolInput) =>
  target_artefact.structural_type === "Question";
const answerIt = { structural_type: "Answer", payload: "That one." };

/**
 * Chance decides the shape, the rules of the instance, and how many attempts each agent has.
 * `kind`: `pieces` for lists of pieces alone, and `quorum` for approvals of several people, since
 * each shape more gives the seeds other schedules.
 */
export function scenarioOf(
  random: Random,
  kind: "usual" | "pieces" | "quorum" = "usual",
): Scenario {
  const shape =
    kind === "pieces"
      ? pieces
      : kind === "quorum"
        ? several
        : random.pick([single, race, train, train, asking, asking, approving, commanded, silent]);
  const { name, members } = shape(random);
  const retries = random.pick([0, 1, 3, 3]);
  for (const { registration } of members) {
    registration.retries = retries;
    registration.timeout_ms = 20_000;
  }
  const policy: Policy = {
    ...defaultPolicy,
    // The first bid may leave out the kind of work that ends the goal, where several are wanted.
    consensus: ["single", "race"].includes(name) && random.chance(0.4) ? "first_bid" : "full",
    clarification: random.chance(0.5) ? "tiered" : "human",
    review_rounds: random.pick([1, 3]),
    bid_deadline_ms: random.pick([2_000, 8_000, 30_000]),
  };
  return { name, members, policy, grantLeaseMs: random.pick([3_000, 5_000, 15_000]) };
}

type Shape = (random: Random) => { name: string; members: Member[] };

const member = (
  name: string,
  bids: BidRule[],
  answer?: Answer,
  over: Partial<AgentRegistration> = {},
): Member => ({
  registration: sampleAgent(name, { bids, ...over }),
  ...(answer && { answer }),
});

/** One agent does it all, another only looks on. */
const single: Shape = () => ({
  name: "single",
  members: [
    member("worker", [rule("GoalDefined", "exclusive")], () => terminal("Done")),
    member("onlooker", [rule("Nothing", "review")], () => "It has no work."),
  ],
});

/** Several want the same work, and the first result is worked on by all of them side by side. */
const race: Shape = (random) => {
  const names = ["one", "two", "three", "four"].slice(0, random.whole(2, 4));
  const answer: Answer = ({ claim_type }) =>
    claim_type === "exclusive" ? standard("Part") : terminal("Seen");
  return {
    name: "race",
    members: names.map((name) =>
      member(
        name,
        [rule("GoalDefined", "exclusive"), { on: "Part", from: "racer", bid: "claim" }],
        answer,
        { role: "racer" },
      ),
    ),
  };
};

/**
 * Made, rejected once, made again, checked by two, and packed. Where the maker has no second, the
 * checker sends the second version back, and the packer the third.
 */
const train: Shape = (random) => {
  const hasSecond = random.chance(0.4);
  const isSentBack = ({ target_artefact: { version } }: ToolInput, at: number) =>
    !hasSecond && version === at;
  const maker: Answer = (input) =>
    isQuestion(input) ? answerIt : standard("Draft", String(input.target_artefact.version));
  const reviewer: Answer = ({ target_artefact }) => ({
    structural_type: "Review",
    payload: target_artefact.version === 1 ? "Once more." : {},
  });
  const checker: Answer = (input) => (isSentBack(input, 2) ? notSo : standard("Report"));
  const packer: Answer = (input) => {
    const { additional_context: given } = input;
    const isApproved = given.some(
      ({ structural_type, payload }) => structural_type === "Review" && isApproval(payload),
    );
    if (!isApproved) return "It was given no approval.";
    return isSentBack(input, 3) ? notSo : terminal("Release");
  };
  const members = [
    member("maker", [rule("GoalDefined", "exclusive")], maker),
    member("reviewer", [rule("Draft", "review")], reviewer),
    member("checker", [rule("Draft", "claim")], checker),
    member("packer", [rule("Draft", "exclusive")], packer),
  ];
  if (hasSecond)
    members.push(member("maker-two", [rule("GoalDefined", "exclusive")], maker, { role: "maker" }));
  return { name: "train", members };
};

/**
 * Lists of pieces, also within each other: of the work on a piece some fails, asks, or is sent
 * back, and the list is rejected before it is joined, or by the joiner.
 */
const pieces: Shape = (random) => {
  const [isNested, fails, asks, sendsBack] = [0.4, 0.4, 0.3, 0.4].map((share) =>
    random.chance(share),
  );
  const list = (type: string, of: string, count = random.whole(1, 4)) => ({
    ...standard(type),
    artefacts: Array.from({ length: count }, (_, at) => ({ key: `${at}`, ...standard(of) })),
  });
  const isFirst = ({ target_artefact: { version } }: ToolInput) => version === 1;
  const splitter =
    (made: () => object): Answer =>
    (input) => {
      if (isQuestion(input)) return answerIt;
      const { type } = input.target_artefact;
      return type === "File" || type === "Sub" ? standard(type) : made();
    };
  const mender: Answer = (input) => {
    if (isQuestion(input)) return answerIt;
    if (fails && random.chance(0.3)) return "It breaks.";
    if (asks && !knows(input, "What") && random.chance(0.5)) return question("What");
    const isBack = sendsBack && input.target_artefact.type === "File" && isFirst(input);
    return isBack && random.chance(0.5) ? notSo : standard("Mended");
  };
  const joiner =
    (made: object): Answer =>
    (input) =>
      isQuestion(input)
        ? answerIt
        : sendsBack && isFirst(input) && random.chance(0.5)
          ? notSo
          : made;
  const reader: Answer = (input) =>
    isFirst(input) && random.chance(0.4) ? notSo : { ...notSo, payload: {} };
  const members = [
    member(
      "splitter",
      [rule("GoalDefined", "exclusive")],
      splitter(() => list("Plan", isNested ? "Sub" : "File")),
    ),
    member("mender", [rule("File", "exclusive")], mender, { replicas: random.whole(1, 3) }),
    member("reader", [rule("Mended", "review"), rule("Plan", "review")], reader),
    member("joiner", [rule("Plan", "exclusive")], joiner(terminal("Joined"))),
  ];
  if (isNested)
    members.push(
      member(
        "sub",
        [rule("Sub", "exclusive")],
        splitter(() => list("SubPlan", "File")),
      ),
      member("subjoiner", [rule("SubPlan", "exclusive")], joiner(standard("Joint"))),
    );
  return { name: "pieces", members };
};

/** The second asks what the first has meant, and the first may have to ask people. */
const asking: Shape = (random) => {
  const asksOnBehalf = random.chance(0.5);
  const first: Answer = (input) => {
    if (isQuestion(input))
      return asksOnBehalf && !knows(input, "Whose") ? question("Whose") : answerIt;
    return random.chance(0.5) && !knows(input, "Which") ? question("Which") : standard("Draft");
  };
  const second: Answer = (input) => (knows(input, "What") ? terminal("Done") : question("What"));
  return {
    name: "asking",
    members: [
      member("first", [rule("GoalDefined", "exclusive")], first),
      member("second", [rule("Draft", "exclusive")], second),
      member("beside", [rule("Draft", "claim")], () => standard("Note")),
    ],
  };
};

/** A person approves what is made, and may reject it before: at once, or after the checks. */
const approving: Shape = (random) => (random.chance(0.5) ? ordered(random) : together(random));

const together: Shape = () => ({
  name: "approving",
  members: [
    member("maker", [rule("GoalDefined", "exclusive")], () => standard("Draft")),
    member("ada", [rule("Draft", "review")], undefined, { human: true }),
    member("reviewer", [rule("Draft", "review")], () => ({
      structural_type: "Review",
      payload: {},
    })),
    member("packer", [rule("Draft", "exclusive")], () => terminal("Release")),
  ],
});

/** They may approve where several have to. The first one posts the goals. */
export const quorumPeople: [KnownPerson, ...KnownPerson[]] = [
  { name: "ada" },
  { name: "bob" },
  { name: "eve" },
];

/** Several people approve what is made, beside a reviewer; an agent asks before it makes it. */
const several: Shape = (random) => {
  const approvals = random.pick([undefined, 2, 2]);
  const parts = notByWords.filter(() => random.chance(0.5));
  const asking: Answer = (input) => (knows(input, "What") ? standard("Draft") : question("What"));
  const rules = {
    ...{ human: true as const, people: quorumPeople },
    ...(approvals !== undefined && { approvals }),
    ...(parts.length > 0 && { not_by: parts }),
  };
  const asks = random.chance(0.5);
  return {
    name: "quorum",
    members: [
      member("maker", [rule("GoalDefined", "exclusive")], asks ? asking : () => standard("Draft")),
      member("owners", [rule("Draft", "review")], undefined, rules),
      member("reviewer", [rule("Draft", "review")], () =>
        random.chance(0.1) ? notSo : { structural_type: "Review", payload: {} },
      ),
      member("packer", [rule("Draft", "exclusive")], () => terminal("Release")),
    ],
  };
};

/** A person, and a model, are asked only when the checks have approved. */
const ordered: Shape = (random) => {
  const check: Answer = ({ target_artefact }) => ({
    structural_type: "Review",
    payload: target_artefact.version === 1 && random.chance(0.3) ? "Once more." : {},
  });
  const reviews = (...after: string[]): BidRule[] => [{ ...rule("Draft", "review"), after }];
  return {
    name: "ordered",
    members: [
      member("maker", [rule("GoalDefined", "exclusive")], () => standard("Draft")),
      member("compile", [rule("Draft", "review")], check, { role: "check" }),
      member("lint", [rule("Draft", "review")], check, {
        role: "check",
        ...(random.chance(0.3) && { bids_by_command: true as const }),
      }),
      member("reader", reviews("compile"), check),
      member("ada", reviews("check", "reader"), undefined, { human: true }),
      // What is made here has no commit, so that it touches nothing: one bids, and one never does.
      member("paths", [{ ...rule("Draft", "review"), paths: ["**"] }, rule("Draft", "claim")], () =>
        standard("Note"),
      ),
      member("packer", [rule("Draft", "exclusive")], () => terminal("Release")),
    ],
  };
};

/** Bids by commands, which take their time, beside one by rules and one by default. */
const commanded: Shape = () => ({
  name: "commanded",
  members: [
    member("maker", [], () => standard("Draft")),
    member("reviewer", [], () => ({ structural_type: "Review", payload: {} }), {
      bids_by_command: true,
    }),
    member("checker", [rule("Draft", "claim")], () => standard("Report")),
    member("packer", [], () => terminal("Release"), { bids_by_command: true }),
  ],
});

/** One agent never says a word, and is not waited for without end. */
const silent: Shape = (random) => ({
  name: "silent",
  members: [
    member("worker", [rule("GoalDefined", "exclusive")], () =>
      random.chance(0.5) ? standard("Draft") : terminal("Done"),
    ),
    member("mute", [], undefined, { on_missing_bid: "ignore", external: true }),
    member("packer", [rule("Draft", "exclusive")], () => terminal("Release")),
  ],
});

/** Returns the word that the bid command of this agent prints. */
export function wordOf(name: string, { type }: Pick<Artefact, "type">): BidWord {
  if (type !== "Draft") return "ignore";
  return name === "reviewer" || name === "lint" ? "review" : "exclusive";
}
