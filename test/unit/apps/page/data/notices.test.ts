import { expect, test } from "bun:test";
import { noticeKind } from "../../../../../apps/page/data/notices.ts";
import type { SettEvent } from "../../../../../lib/model/event.ts";
import { AgentName } from "../../../../../lib/model/ids.ts";

const event = (type: SettEvent["type"], agent?: string): SettEvent => ({
  id: "1-0",
  time: "2026-01-01T00:00:00.000Z",
  actor: "orchestrator:1",
  type,
  ...(agent !== undefined && { agent: AgentName.parse(agent) }),
});

test("a reader is notified of questions, of ends, and of what waits for the reader's verdict", () => {
  const judged = ["security"];
  expect(noticeKind(event("question_asked", "coder"), judged)).toBe("questions");
  expect(noticeKind(event("grant_waiting", "security"), judged)).toBe("verdicts");
  expect(noticeKind(event("grant_waiting", "legal"), judged)).toBeUndefined();
  expect(noticeKind(event("grant_waiting"), judged)).toBeUndefined();
  expect(noticeKind(event("goal_ended"), judged)).toBe("goals");
  expect(noticeKind(event("grant_done", "security"), judged)).toBeUndefined();
});
