import { expect, test } from "bun:test";
import { tracingChannel } from "node:diagnostics_channel";
import "../../../../../lib/blackboard/redis/tracing.ts";

const listener = { start() {}, end() {}, asyncStart() {}, asyncEnd() {}, error() {} };

test("a tracing channel knows whether it has a listener", () => {
  const channel = tracingChannel("sett:test");
  expect(channel.hasSubscribers).toBe(false);
  channel.subscribe(listener);
  expect(channel.hasSubscribers).toBe(true);
  channel.unsubscribe(listener);
  expect(channel.hasSubscribers).toBe(false);
});
