import { describe, expect, test } from "bun:test";
import { EventType, SettEvent } from "../../../../lib/model/event.ts";
import { eventSentence } from "../../../../lib/words/event-sentence.ts";
import { textOf } from "../../../../lib/words/segment.ts";
import type { EventContext } from "../../../../lib/words/sentence.ts";

const event = (type: EventType, more: object = {}) =>
  SettEvent.parse({
    id: "1-0",
    time: "2026-11-24T12:00:00.000Z",
    type,
    actor: "orchestrator:1",
    goal_id: "2a6f1c1e-0b53-4e2c-9f0a-1d2c3b4a5f60",
    ...more,
  });

const textOfEvent = (of: SettEvent, context?: EventContext) =>
  textOf(eventSentence(of, context).segments, (foreign) => foreign);

describe("the sentence of an event", () => {
  test("what an agent or a person has chosen is foreign in it, and made safe", () => {
    const words = {
      word: "x\u001b[2J",
      role: "x\u001b[2J",
      reason: "x\u001b[2J",
      cause: "x\u001b[2J",
      problem: "x\u001b[2J",
      by: "person:x\u001b[2J",
    };
    for (const type of EventType.options) {
      const { segments } = eventSentence(
        event(type, {
          data: { ...words, type: "x\u001b[2J", tool: "x\u001b[2J", bids: "x\u001b[2J:claim" },
        }),
      );
      expect([type, textOf(segments, () => "")]).toEqual([
        type,
        expect.not.stringContaining("\u001b"),
      ]);
    }
  });

  test("says who is granted what", () => {
    const granted = event("grant_queued", {
      agent: "coder",
      claim_id: "5c9bbb09-3f74-4f10-9f1e-6e622e1ed2b3",
      data: { phase: "exclusive", attempt: 2 },
    });
    expect(textOfEvent(granted)).toBe("grants claim 5c9bbb09 to coder (exclusive, attempt 2)");
  });

  test("says of a look whether the image was that of the grant", () => {
    const looked = (data: object) =>
      textOfEvent(event("grant_examined", { agent: "coder", data: { attempt: 1, ...data } }));
    expect(looked({ how: "rerun", same: true })).toMatch(/^runs the work of coder on claim again:/);
    expect(looked({ how: "rerun", same: true, image: "sha256:1" })).toBe(
      "runs the work of coder on claim, with another image again: the same result",
    );
    expect(looked({ how: "shell", image: "sha256:1" })).toContain(
      ", with another image in a shell",
    );
  });

  test("bids of `ignore` are minor, and a failure is not", () => {
    expect(
      eventSentence(event("bids_placed", { data: { bids: "coder:ignore tester:ignore" } })).weight,
    ).toBe("minor");
    expect(
      eventSentence(event("bids_placed", { data: { bids: "coder:exclusive" } })),
    ).toMatchObject({ weight: "major" });
    expect(
      eventSentence(event("grant_failed", { agent: "coder", data: { reason: "exit 1" } })),
    ).toMatchObject({
      tone: "bad",
      weight: "major",
    });
  });

  test("a review that rejects has no tick", () => {
    const claim = { agent: "reviewer", claim_id: "5c9bbb09-3f74-4f10-9f1e-6e622e1ed2b3" };
    expect(eventSentence(event("grant_done", claim))).toMatchObject({ tone: "good" });
    const rejecting = event("grant_done", {
      ...claim,
      data: { phase: "review", attempt: 1, rejects: true },
    });
    expect(textOfEvent(rejecting)).toBe("rejects what claim 5c9bbb09 is about for reviewer");
    expect(eventSentence(rejecting)).toMatchObject({ tone: "bad" });
  });

  test("the first artefact of a goal is the goal", () => {
    const goal = event("artefact_created", { artefact_id: "2a6f1c1e-0b53-4e2c-9f0a-1d2c3b4a5f60" });
    expect(textOfEvent(goal)).toBe("posts the goal 2a6f1c1e");
  });

  test("a call of the API is named by the tool where an assistant has made it, and else by its address", () => {
    const call = { method: "POST", path: "/mcp", status: 200, token: "ci" };
    const sentence = (data: object) => textOfEvent(event("api_called", { data }));
    expect(sentence({ ...call, tool: "approve" })).toBe(
      "calls approve of the API with token ci: 200",
    );
    expect(sentence({ ...call, path: "/v1/goals", status: 201 })).toBe(
      "calls POST /v1/goals of the API with token ci: 201",
    );
  });

  test("a type that a newer server has is shown by its name", () => {
    expect(textOfEvent({ ...event("claim_opened"), type: "moon_landed" as EventType })).toBe(
      "moon landed",
    );
  });
});
