import { expect, test } from "bun:test";
import { joined, Sent } from "../../../../../apps/api/events/sent.ts";

const sent = (at: number) =>
  new Sent({
    id: `${at}-0`,
    time: new Date(at).toISOString(),
    type: "cancel_requested",
    actor: "person:test",
    data: { at },
  });
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

test("an event is made into a frame once", () => {
  const one = sent(1);
  expect(one.frame).toBe(one.frame);
  expect(textOf(one.frame)).toBe(`id: 1-0\nevent: sett\ndata: ${JSON.stringify(one.event)}\n\n`);
});

test("clients that get the same list get the same bytes, and others get theirs", () => {
  const all = Array.from({ length: 5 }, (_, at) => sent(at));
  const whole = joined(all);
  expect(joined(all)).toBe(whole);
  expect(textOf(whole)).toBe(all.map(({ frame }) => textOf(frame)).join(""));
  const some = all.filter((_, index) => index !== 2);
  expect(textOf(joined(some))).toBe(some.map(({ frame }) => textOf(frame)).join(""));
  expect(joined(all.slice(0, 1))).toBe(all[0]?.frame ?? new Uint8Array());
});
