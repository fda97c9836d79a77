import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { Sessions } from "../../../../../apps/api/access/sessions.ts";
import { digestOf, type KnownToken, Tokens } from "../../../../../apps/api/access/tokens.ts";

const tokenOf = (name: string, secret: string, over: Partial<KnownToken> = {}): KnownToken => ({
  ...{ name, sha256: digestOf(secret).toString("hex"), may: ["read"] },
  ...over,
});
const ci = tokenOf("ci", "secret one");
const tokens = new Tokens(
  [
    ci,
    tokenOf("bot", "secret two", {
      may: ["read", "forage"],
      actor: "person:Ada <ada@example.org>",
    }),
  ],
  () => 0,
);
const key = randomBytes(32);

let today = new Date("2026-11-24T12:00:00Z");
const sessions = new Sessions(tokens, { now: () => today, key });

test("a session is good for a week, and ends with its token", () => {
  today = new Date("2026-11-24T12:00:00Z");
  const session = sessions.make(ci);
  expect(session).toStartWith("ci.");
  expect(sessions.read(session)).toBe(ci);
  today = new Date("2026-12-01T11:59:59Z");
  expect(sessions.read(session)).toBe(ci);
  today = new Date("2026-12-01T12:00:01Z");
  expect(sessions.read(session)).toBeUndefined();
  today = new Date("2026-11-24T12:00:00Z");
  const without = new Sessions(new Tokens([], () => 0), { now: () => today, key });
  expect(without.read(session)).toBeUndefined();
  const renewed = new Sessions(new Tokens([tokenOf("ci", "another secret")], () => 0), {
    now: () => today,
    key,
  });
  expect(renewed.read(session)).toBeUndefined();
});

test("no session that was changed or made up is good", () => {
  const good = sessions.make(ci);
  const [, , mac = ""] = good.split(".");
  for (const bad of [
    good.slice(0, -1),
    `${good}A`,
    ` ${good}`,
    good.replace("ci.", "bot."),
    "ci.99999999999999.",
    `ci.1.${mac}`,
    "",
    "...",
  ])
    expect(sessions.read(bad)).toBeUndefined();
});
