import { describe, expect, test } from "bun:test";
import { eventSentence } from "../../../../../apps/page/text/event-sentence.ts";
import { EventType, SettEvent } from "../../../../../lib/model/event.ts";

const event = (type: EventType, more: object = {}) =>
  SettEvent.parse({
    id: "1-0",
    time: "2026-11-24T12:00:00.000Z",
    type,
    actor: "orchestrator:1",
    goal_id: "2a6f1c1e-0b53-4e2c-9f0a-1d2c3b4a5f60",
    ...more,
  });

describe("the sentence of an event", () => {
  test("every type of the log has words of its own", () => {
    const without = EventType.options.filter((type) => eventSentence(event(type)).text === type.replaceAll("_", " "));
    expect(without).toEqual([]);
  });

  test("says who is granted what", () => {
    const granted = event("grant_queued", {
      agent: "coder",
      claim_id: "5c9bbb09-3f74-4f10-9f1e-6e622e1ed2b3",
      data: { phase: "exclusive", attempt: 2 },
    });
    expect(eventSentence(granted).text).toBe("grants claim 5c9bbb09 to coder (exclusive, attempt 2)");
  });

  test("bids of `ignore` are minor, and a failure is not", () => {
    expect(eventSentence(event("bids_placed", { data: { bids: "coder:ignore tester:ignore" } })).weight).toBe("minor");
    expect(eventSentence(event("bids_placed", { data: { bids: "coder:exclusive" } }))).toMatchObject({ weight: "major" });
    expect(eventSentence(event("grant_failed", { agent: "coder", data: { reason: "exit 1" } }))).toMatchObject({
      tone: "bad",
      weight: "major",
    });
  });

  test("a review that rejects has no tick", () => {
    const claim = { agent: "reviewer", claim_id: "5c9bbb09-3f74-4f10-9f1e-6e622e1ed2b3" };
    expect(eventSentence(event("grant_done", claim))).toMatchObject({ tone: "good" });
    const rejecting = eventSentence(event("grant_done", { ...claim, data: { phase: "review", attempt: 1, rejects: true } }));
    expect(rejecting).toMatchObject({ text: "rejects what claim 5c9bbb09 is about", tone: "bad" });
  });

  test("the first artefact of a goal is the goal", () => {
    const goal = event("artefact_created", { artefact_id: "2a6f1c1e-0b53-4e2c-9f0a-1d2c3b4a5f60" });
    expect(eventSentence(goal).text).toBe("posts the goal 2a6f1c1e");
  });

  test("a call of the API is named by the tool where an assistant has made it, and else by its address", () => {
    const call = { method: "POST", path: "/mcp", status: 200, token: "ci" };
    const sentence = (data: object) => eventSentence(event("api_called", { data })).text;
    expect(sentence({ ...call, tool: "approve" })).toBe("calls the tool approve: 200");
    expect(sentence({ ...call, path: "/v1/goals", status: 201 })).toBe("calls POST /v1/goals: 201");
  });

  test("a type that a newer server has is shown by its name", () => {
    expect(eventSentence({ ...event("claim_opened"), type: "moon_landed" as EventType }).text).toBe("moon landed");
  });
});
