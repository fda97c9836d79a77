// Which lines of the log are left out or shortened on a terminal.
import { expect, test } from "bun:test";
import { Fold } from "../../../../../apps/cli/render/fold.ts";
import { type EventContext, eventLine } from "../../../../../lib/client/render/event-line.ts";
import { createStyle } from "../../../../../lib/client/text/style.ts";
import type { SettEvent } from "../../../../../lib/model/event.ts";
import { agentName, newClaimId } from "../../../../support/records/sample.ts";

const claim = newClaimId();
const short = `claim ${claim.slice(0, 8)}`;

type Event = Pick<SettEvent, "type"> & Partial<SettEvent> & { beside?: EventContext };

/** Returns what happened, without when, where and who. */
function linesOf(...given: Event[]): string[] {
  const fold = new Fold();
  const plain = createStyle(false);
  return given.flatMap(({ beside = {}, ...over }) => {
    const event: SettEvent = {
      id: "1-0",
      time: "2026-01-01T12:00:00.000Z",
      actor: over.agent === undefined ? "orchestrator:1" : `agent:${over.agent}`,
      claim_id: claim,
      ...over,
    };
    const taken = fold.apply(event, beside);
    return taken === undefined
      ? []
      : [eventLine(event, plain, taken).slice("00:00:00  00000000  orchestrator    ".length)];
  });
}

const bid = (agent: string, word: string): Event => ({
  type: "bid_placed",
  agent: agentName(agent),
  data: { word },
});
const coder = agentName("coder");
const reason = "The tool ended with exit code 3.";
const failure = (artefact: string): Event[] => [
  {
    type: "artefact_created",
    agent: coder,
    artefact_id: artefact as NonNullable<SettEvent["artefact_id"]>,
    data: { structural_type: "Failure", type: "ToolExecutionFailure" },
    beside: { summary: reason },
  },
  { type: "grant_failed", agent: coder, data: { reason } },
];

test("agents that bid `ignore` are named where the bidding closes, and nowhere else", () => {
  expect(
    linesOf(bid("linter", "ignore"), bid("coder", "exclusive"), bid("tester", "ignore"), {
      type: "bidding_closed",
    }),
  ).toEqual([
    `bids exclusive on ${short}`,
    `closes the bidding on ${short}, ignored by linter, tester`,
  ]);
  const crowd = Array.from({ length: 12 }, (_, at) => `a${at + 1}`);
  expect(linesOf(...crowd.map((name) => bid(name, "ignore")), { type: "bidding_closed" })).toEqual([
    `closes the bidding on ${short}, ignored by a1, a2, a3, a4, a5, a6, a7, a8 and 4 more`,
  ]);
  expect(linesOf({ type: "bidding_closed" })).toEqual([`closes the bidding on ${short}`]);
  const opened: Event = { type: "claim_opened" };
  const unwanted = `closes the bidding on ${short}: every agent ignores it`;
  expect(
    linesOf(opened, bid("linter", "ignore"), bid("tester", "ignore"), {
      type: "bidding_closed",
    }).at(-1),
  ).toBe(unwanted);
  const wanted = `closes the bidding on ${short}, ignored by tester`;
  expect(
    linesOf(opened, bid("linter", "claim"), bid("tester", "ignore"), { type: "bidding_closed" }).at(
      -1,
    ),
  ).toBe(wanted);
});

test("bids that were given in advance have a line where one of them wants the claim, and share it", () => {
  const placed = (bids: string): Event => ({ type: "bids_placed", data: { bids, missing: 0 } });
  const closing: Event = { type: "bidding_closed" };
  expect(
    linesOf({ type: "claim_opened" }, placed("linter:ignore coder:exclusive"), closing).slice(1),
  ).toEqual([
    `notes the bids on ${short}: coder exclusive`,
    `closes the bidding on ${short}, ignored by linter`,
  ]);
  expect(
    linesOf({ type: "claim_opened" }, placed("linter:ignore coder:ignore"), closing).slice(1),
  ).toEqual([`closes the bidding on ${short}: every agent ignores it`]);
});

test("an `ignore` with a reason has a line of its own", () => {
  const ofCoder = { ...bid("coder", "ignore"), data: { word: "ignore", reason: "It is no code." } };
  expect(linesOf(ofCoder, bid("linter", "ignore"), { type: "bidding_closed" })).toEqual([
    `bids ignore on ${short}: It is no code.`,
    `closes the bidding on ${short}, ignored by coder, linter`,
  ]);
});

test("the reason of a failure is shown once: with the Failure, and with another attempt's", () => {
  const end: Event = {
    type: "claim_terminated",
    data: { reason: `Agent coder failed: ${reason}` },
  };
  const cancelled: Event = {
    type: "grant_cancelled",
    agent: agentName("tester"),
    data: { reason: `Agent coder failed: ${reason}` },
  };
  const again: Event[] = [
    { type: "grant_retrying", agent: coder, data: { after_ms: 1000 } },
    { type: "grant_queued", agent: coder },
  ];
  const lines = linesOf(...failure("11111111"), ...again, ...failure("22222222"), cancelled, end);
  expect(lines.filter((line) => !line.startsWith("tries") && !line.startsWith("grants"))).toEqual([
    `posts ToolExecutionFailure 11111111  “${reason}”`,
    `fails on ${short}`,
    `posts ToolExecutionFailure 22222222  “${reason}”`,
    `fails on ${short}`,
    `cancels the work of tester on ${short}: Agent coder failed`,
    `terminates ${short}`,
  ]);
});

test("a new reason is shown, also after other claims' reasons", () => {
  const other = newClaimId();
  const ended = (over: Partial<SettEvent>): Event => ({
    type: "claim_terminated",
    data: { reason: "Feedback from critic" },
    ...over,
  });
  expect(linesOf(ended({ claim_id: other }), ended({}))).toEqual([
    `terminates claim ${other.slice(0, 8)}: Feedback from critic`,
    `terminates ${short}: Feedback from critic`,
  ]);
});

test("calls of models that went well have no line, and others have", () => {
  const call = (outcome: string): Event => ({
    type: "model_called",
    agent: coder,
    actor: "gateway",
    data: { model: "strong", outcome },
  });
  expect(linesOf(call("ok"), call("refused"), call("ok"))).toEqual([
    `a call of strong for coder on ${short} was refused`,
  ]);
});
