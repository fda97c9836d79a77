import { describe, expect, test } from "bun:test";
import { spanIdOf, spanKeys, traceIdOf } from "../../../../lib/model/trace-ids.ts";
import type { FinishedSpan } from "../../../../lib/telemetry/span.ts";
import { type Bounds, SpansOfLog } from "../../../../lib/telemetry/spans-of-log.ts";
import { SampleLog } from "../../../support/telemetry/sample-log.ts";

/** All spans of a log, also of what rests at its end. */
function spansOf({ events }: SampleLog, bounds: Partial<Bounds> = {}) {
  const ends: (string | undefined)[] = [];
  const spans = new SpansOfLog(bounds, (_, state) => ends.push(state));
  const finished = events.flatMap((event) => spans.handle(event));
  const last = Date.parse(events.at(-1)?.time ?? "");
  return { spans, ends, finished: [...finished, ...spans.tick(last + 60_000)] };
}

const names = (spans: readonly FinishedSpan[]) => spans.map(({ name }) => name);
const find = (spans: readonly FinishedSpan[], name: string) => {
  const span = spans.find((one) => one.name === name);
  if (span === undefined)
    throw new Error(`There is no span ${name} among ${names(spans).join(", ")}.`);
  return span;
};

/** A goal that the coder reaches at its first attempt. */
function simpleLog() {
  const log = new SampleLog();
  const claim = log.claim(log.artefact(), ["coder"]);
  log.start(claim, "coder");
  log.finish(claim, "coder", "Done", { structural: "Terminal" });
  log.add("claim_completed", { claim });
  return { log, claim };
}

describe("the spans of a goal", () => {
  test("end from the inside out, each with the id of its key and its parent's", () => {
    const { log, claim } = simpleLog();
    const { finished } = spansOf(log);
    expect(names(finished)).toEqual([
      "bids",
      "tool coder",
      "attempt coder",
      "grant coder",
      "claim GoalDefined",
      "goal",
    ]);
    expect(finished.every(({ traceId }) => traceId === traceIdOf(log.goal))).toBe(true);
    const keys = [
      ["bids", spanKeys.bids(claim), spanKeys.claim(claim)],
      ["tool coder", spanKeys.tool(claim, "coder", 1), spanKeys.attempt(claim, "coder", 1)],
      ["attempt coder", spanKeys.attempt(claim, "coder", 1), spanKeys.grant(claim, "coder")],
      ["grant coder", spanKeys.grant(claim, "coder"), spanKeys.claim(claim)],
      ["claim GoalDefined", spanKeys.claim(claim), spanKeys.goal(log.goal)],
    ] as const;
    for (const [name, own, parent] of keys) {
      const { spanId, parentId } = find(finished, name);
      expect([name, spanId, parentId]).toEqual([name, spanIdOf(own), spanIdOf(parent)]);
    }
    expect(find(finished, "goal").parentId).toBeUndefined();
  });

  test("have the times of the log", () => {
    const { log } = simpleLog();
    const { finished } = spansOf(log);
    const start = Date.parse(log.events[0]?.time ?? "");
    const times = Object.fromEntries(
      finished.map(({ name, startMs, endMs }) => [name, [startMs - start, endMs - start]]),
    );
    expect(times).toEqual({
      bids: [10, 30],
      "tool coder": [60, 100],
      "attempt coder": [40, 100],
      "grant coder": [40, 100],
      "claim GoalDefined": [10, 110],
      goal: [0, 110],
    });
    expect(find(finished, "attempt coder").attributes["sett.queued_ms"]).toBe(20);
  });

  test("have no sentence of an agent in them", () => {
    const log = new SampleLog();
    const claim = log.claim(log.artefact(), []);
    log.add("bid_placed", {
      claim,
      agent: "coder",
      data: { word: "exclusive", reason: "a secret sentence" },
    });
    log.start(claim, "coder");
    log.finish(claim, "coder", "ToolExecutionFailure", { structural: "Failure" });
    log.add("claim_terminated", { claim, data: { reason: "a secret sentence", kind: "standard" } });
    const { finished } = spansOf(log);
    expect(finished.length).toBe(6);
    expect(JSON.stringify(finished)).not.toContain("secret");
  });

  test("show each bid as an event, and which were imposed", () => {
    const log = new SampleLog();
    const claim = log.claim(log.artefact(), []);
    log.events.pop();
    log.add("bid_placed", { claim, agent: "coder", data: { word: "exclusive" } });
    log.add("bid_imposed", { claim, agent: "tester", data: { word: "ignore" } });
    log.add("bidding_closed", { claim });
    log.add("claim_completed", { claim });
    const { events } = find(spansOf(log).finished, "bids");
    expect(events.map(({ name, attributes }) => [name, attributes])).toEqual([
      ["bid", { "sett.agent": "coder", "sett.bid": "exclusive" }],
      ["bid", { "sett.agent": "tester", "sett.bid": "ignore", "sett.bid.is_imposed": true }],
    ]);
  });

  test("a claim links to the run that has made its artefact", () => {
    const log = new SampleLog();
    const first = log.claim(log.artefact(), ["coder"]);
    log.start(first, "coder");
    const code = log.finish(first, "coder", "Code");
    log.add("claim_completed", { claim: first });
    log.add("claim_completed", { claim: log.claim(code, []) });
    const { finished, ends } = spansOf(log);
    expect(find(finished, "claim Code").links).toEqual([
      spanIdOf(spanKeys.tool(first, "coder", 1)),
    ]);
    expect(ends).toEqual(["settled"]);
  });
});

describe("attempts", () => {
  test("that fail are errors of the type of their Failure, and the grant is what its last attempt was", () => {
    const log = new SampleLog();
    const claim = log.claim(log.artefact(), ["coder"]);
    log.start(claim, "coder", 1);
    log.finish(claim, "coder", "ToolExecutionFailure", { structural: "Failure" });
    log.add("grant_retrying", {
      claim,
      agent: "coder",
      data: { phase: "exclusive", attempt: 1, after_ms: 5 },
    });
    log.start(claim, "coder", 2);
    log.finish(claim, "coder", "Done", { structural: "Terminal", attempt: 2 });
    log.add("claim_completed", { claim });
    const { finished, ends } = spansOf(log);
    const attempts = finished.filter(({ kind }) => kind === "attempt");
    expect(attempts.map(({ error }) => error)).toEqual(["ToolExecutionFailure", undefined]);
    expect(find(finished, "grant coder")).toMatchObject({
      error: undefined,
      attributes: { "sett.attempts": 2 },
    });
    expect(find(finished, "claim GoalDefined").events.map(({ name }) => name)).toEqual([
      "grant_retrying",
    ]);
    expect(ends).toEqual(["achieved"]);
  });

  test("that ask have ended, and the one after the answer is another", () => {
    const log = new SampleLog();
    const claim = log.claim(log.artefact(), ["coder"]);
    log.start(claim, "coder", 1);
    const question = log.finish(claim, "coder", "Question", { structural: "Question" });
    log.add("question_asked", { artefact: question });
    log.artefact("Answer", { structural: "Answer" });
    log.start(claim, "coder", 2);
    log.finish(claim, "coder", "Done", { structural: "Terminal", attempt: 2 });
    log.add("claim_completed", { claim });
    const { finished } = spansOf(log);
    const outcomes = finished
      .filter(({ kind }) => kind === "attempt")
      .map(({ attributes }) => attributes["sett.outcome"]);
    expect(outcomes).toEqual(["asked", "done"]);
    expect(find(finished, "goal").events.map(({ name }) => name)).toEqual(["question_asked"]);
  });

  test("of a person have no run of a command", () => {
    const log = new SampleLog();
    const claim = log.claim(log.artefact(), ["ada"]);
    const data = { phase: "review", attempt: 1 };
    log.add("grant_waiting", { claim, agent: "ada", data });
    log.add("grant_done", { claim, agent: "ada", data }, 5_000);
    log.add("claim_completed", { claim });
    const { finished } = spansOf(log);
    expect(names(finished)).toEqual([
      "bids",
      "attempt ada",
      "grant ada",
      "claim GoalDefined",
      "goal",
    ]);
    expect(find(finished, "attempt ada").attributes).toMatchObject({
      "sett.is_approval": true,
      "sett.outcome": "done",
    });
  });

  test("that are under way when their claim ends, end with it", () => {
    const log = new SampleLog();
    const claim = log.claim(log.artefact(), ["coder"]);
    log.start(claim, "coder");
    log.add("goal_ended", { data: { ending: "cancelled", by: "person:Ada" } });
    log.add("claim_terminated", { claim, data: { reason: "", kind: "standard" } });
    const { finished, ends } = spansOf(log);
    expect(find(finished, "tool coder").attributes["sett.outcome"]).toBe("cancelled");
    expect(ends).toEqual(["cancelled"]);
  });
});

describe("calls of models", () => {
  const data = {
    attempt: 1,
    model: "strong",
    asked: "claude",
    outcome: "failed",
    status: 529,
    duration_ms: 400,
    tries: 3,
  };

  test("are children of the run, or of the bidding, and come also after their goal's end", () => {
    const { log, claim } = simpleLog();
    const about = { claim, agent: "coder" };
    log.add(
      "model_called",
      { ...about, data: { ...data, call: "one", kind: "bid", problem: "a secret sentence" } },
      9_000,
    );
    log.add("model_called", { ...about, data: { ...data, call: "two", kind: "grant" } });
    const { finished } = spansOf(log);
    const calls = finished.filter(({ kind }) => kind === "model_call");
    expect(calls.map(({ parentId }) => parentId)).toEqual([
      spanIdOf(spanKeys.bids(claim)),
      spanIdOf(spanKeys.tool(claim, "coder", 1)),
    ]);
    expect(calls[0]).toMatchObject({ name: "chat claude", error: "failed" });
    expect((calls[0]?.endMs ?? 0) - (calls[0]?.startMs ?? 0)).toBe(400);
    expect(JSON.stringify(calls)).not.toContain("secret");
  });
});

describe("memory", () => {
  test("is given back when a goal ends", () => {
    const { spans } = spansOf(simpleLog().log);
    expect([spans.openGoals, spans.openClaims, spans.restingGoals]).toEqual([0, 0, 0]);
  });

  test("is bounded: the goals that were silent for the longest time are forgotten, and counted", () => {
    const spans = new SpansOfLog({ maxGoals: 3, maxClaims: 100 });
    const logs = [1, 2, 3, 4, 5].map(() => new SampleLog());
    for (const log of logs) {
      log.claim(log.artefact(), ["coder"]);
      for (const event of log.events) spans.handle(event);
    }
    expect([spans.openGoals, spans.openClaims, spans.forgottenGoals]).toEqual([3, 3, 2]);
  });

  test("is bounded by claims, too", () => {
    const spans = new SpansOfLog({ maxClaims: 4 });
    for (const log of [1, 2, 3].map(() => new SampleLog())) {
      const goal = log.artefact();
      for (let count = 0; count < 2; count += 1) log.claim(goal, []);
      for (const event of log.events) spans.handle(event);
    }
    expect([spans.openGoals, spans.openClaims, spans.forgottenGoals]).toEqual([2, 4, 1]);
  });

  test("a goal whose beginning was not seen has no span of its own, and its claims are children of it all the same", () => {
    const { log, claim } = simpleLog();
    log.events.shift();
    const { finished, ends } = spansOf(log);
    expect(names(finished)).toEqual([
      "bids",
      "tool coder",
      "attempt coder",
      "grant coder",
      "claim",
    ]);
    expect(find(finished, "claim").parentId).toBe(spanIdOf(spanKeys.goal(log.goal)));
    expect([ends, spanIdOf(spanKeys.claim(claim))]).toEqual([
      [undefined],
      find(finished, "claim").spanId,
    ]);
  });
});

describe("the end of a goal", () => {
  test("comes when nothing of it has been open for a second, and not between two steps", () => {
    const { log } = simpleLog();
    const spans = new SpansOfLog();
    for (const event of log.events) spans.handle(event);
    const last = Date.parse(log.events.at(-1)?.time ?? "");
    expect([names(spans.tick(last + 999)), spans.restingGoals]).toEqual([[], 1]);
    expect([names(spans.tick(last + 1_000)), spans.restingGoals]).toEqual([["goal"], 0]);
  });

  test("a failed claim that is tried again does not count", () => {
    const log = new SampleLog();
    const claim = log.claim(log.artefact(), ["coder"]);
    log.start(claim, "coder");
    const failure = log.finish(claim, "coder", "ToolExecutionFailure", { structural: "Failure" });
    log.add("claim_terminated", { claim, data: { reason: "", kind: "standard" } });
    const failed = spansOf(log);
    expect(failed.ends).toEqual(["failed"]);
    expect(find(failed.finished, "goal").error).toBe("failed");
    const again = log.claim(log.goal, [], { kind: "retry", cause: `retry:${failure}` });
    log.start(again, "coder");
    log.finish(again, "coder", "Done", { structural: "Terminal" });
    log.add("claim_completed", { claim: again });
    expect(spansOf(log, { restMs: 5_000 }).ends).toEqual(["achieved"]);
  });
  test("an attempt that was to be made again fails no claim that ends by feedback", () => {
    const log = new SampleLog();
    const claim = log.claim(log.artefact(), ["linter"]);
    log.start(claim, "linter");
    log.finish(claim, "linter", "ToolExecutionFailure", { structural: "Failure" });
    const attempt = { phase: "review", attempt: 1, after_ms: 1_000 };
    log.add("grant_retrying", { claim, agent: "linter", data: attempt });
    log.add("claim_terminated", { claim, data: { reason: "Feedback from ada", kind: "standard" } });
    const { finished, ends } = spansOf(log);
    expect(ends).toEqual(["stalled"]);
    expect(find(finished, "claim GoalDefined").error).toBeUndefined();
  });
});
