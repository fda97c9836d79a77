// The log alone says what people have asked for and no orchestrator has acted on.
import { expect, test } from "bun:test";
import { requestSentence } from "../../../../../apps/cli/render/request-text.ts";
import type { Blackboard } from "../../../../../lib/blackboard/port/blackboard.ts";
import { readRequests } from "../../../../../lib/client/facts/requests.ts";
import type { EventDraft } from "../../../../../lib/model/event.ts";
import { openInMemoryBench } from "../../../../support/blackboard/in-memory-bench.ts";
import { sampleArtefact } from "../../../../support/records/sample.ts";

const goal = sampleArtefact();
const failure = sampleArtefact({ goal_id: goal.goal_id });
const cancel: EventDraft = { type: "cancel_requested", goal_id: goal.goal_id };
const retry: EventDraft = {
  type: "retry_requested",
  artefact_id: failure.id,
  goal_id: goal.goal_id,
};

async function afterwards(
  ...drafts: ((board: Blackboard, last: string) => EventDraft)[]
): Promise<string[]> {
  await using bench = await openInMemoryBench();
  const { board } = bench;
  let last = "";
  for (const draft of drafts)
    last = await board.logEvent(draft(board, last), "person:Ada Lovelace <ada@sett.invalid>");
  const nowMs = await board.time();
  return (await readRequests(board)).map((request) =>
    requestSentence(request, nowMs).replace(/ (\d+s|just) .*/, ""),
  );
}

test("each request is listed, in order, with who made it and for what", async () => {
  expect(
    await afterwards(
      () => cancel,
      () => ({ type: "pause_requested" }),
      () => ({ type: "resume_requested" }),
      () => ({ type: "pause_requested", goal_id: goal.goal_id }),
      () => ({ type: "resume_requested", goal_id: goal.goal_id }),
      () => ({ type: "goal_resumed", goal_id: sampleArtefact().goal_id }),
      () => retry,
    ),
  ).toEqual([
    `Ada Lovelace asked to cancel goal ${goal.id.slice(0, 8)}`,
    "Ada Lovelace asked to pause the instance",
    "Ada Lovelace asked to resume the instance",
    `Ada Lovelace asked to pause goal ${goal.id.slice(0, 8)}`,
    `Ada Lovelace asked to resume goal ${goal.id.slice(0, 8)}`,
    `Ada Lovelace asked to retry the claim that failed with ${failure.id.slice(0, 8)}`,
  ]);
});

test.each([
  ["a goal that has ended", cancel, () => ({ type: "goal_ended", goal_id: goal.goal_id })],
  ["a pause", { type: "pause_requested" }, () => ({ type: "instance_paused" })],
  [
    "the pause of its goal",
    { type: "pause_requested", goal_id: goal.goal_id },
    () => ({ type: "goal_paused", goal_id: goal.goal_id }),
  ],
  ["the end of a pause", { type: "resume_requested" }, () => ({ type: "instance_resumed" })],
  [
    "another claim",
    retry,
    () => ({ type: "claim_opened", data: { cause: `retry:${failure.id}` } }),
  ],
  [
    "a refusal",
    retry,
    (_board, request) => ({ type: "request_refused", data: { request, reason: "No." } }),
  ],
] satisfies [string, EventDraft, (board: Blackboard, last: string) => EventDraft][])(
  "one that was answered by %s is not shown, though the orchestrator has not moved on in the log",
  async (_by, request, answer) => {
    expect(await afterwards(() => request)).toHaveLength(1);
    expect(await afterwards(() => request, answer)).toEqual([]);
  },
);
