import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { Cookies, isFromOwnPage } from "../../../../../apps/api/access/cookies.ts";
import { digestOf, type KnownToken, Tokens } from "../../../../../apps/api/access/tokens.ts";

const tokenOf = (name: string, secret: string, over: Partial<KnownToken> = {}): KnownToken => ({
  ...{ name, sha256: digestOf(secret).toString("hex"), may: ["read"] },
  ...over,
});
const ci = tokenOf("ci", "secret one");
const tokens = new Tokens(
  [ci, tokenOf("bot", "secret two", { may: ["read", "forage"], actor: "person:Ada <ada@example.org>" })],
  () => 0,
);
const key = randomBytes(32);

let today = new Date("2026-11-24T12:00:00Z");
const cookies = new Cookies(tokens, { now: () => today, isSecure: true, key });
const pairOf = (header: string) => header.split(";")[0] ?? "";

test("a cookie is good for a week, at the port that has set it, and ends with its token", () => {
  today = new Date("2026-11-24T12:00:00Z");
  const header = cookies.make(ci, "board.example.org:8443");
  expect(header).toStartWith("sett_session_8443=ci.");
  expect(header).toEndWith("Path=/; HttpOnly; SameSite=Strict; Max-Age=604800; Secure");
  expect(pairOf(cookies.make(ci, "board.example.org"))).toStartWith("sett_session=");
  expect(cookies.read(`a=b; ${pairOf(header)}; c`)).toBe(ci);
  today = new Date("2026-12-01T11:59:59Z");
  expect(cookies.read(pairOf(header))).toBe(ci);
  today = new Date("2026-12-01T12:00:01Z");
  expect(cookies.read(pairOf(header))).toBeUndefined();
  today = new Date("2026-11-24T12:00:00Z");
  const without = new Cookies(new Tokens([], () => 0), { now: () => today, isSecure: false, key });
  expect(without.read(pairOf(header))).toBeUndefined();
  const renewed = new Cookies(new Tokens([tokenOf("ci", "another secret")], () => 0), { now: () => today, isSecure: false, key });
  expect(renewed.read(pairOf(header))).toBeUndefined();
});

test("no cookie that was changed or made up is good", () => {
  const good = pairOf(cookies.make(ci, "x"));
  const [, , mac = ""] = good.split(".");
  for (const bad of [
    good.slice(0, -1),
    `${good}A`,
    good.replace("ci.", "bot."),
    "sett_session=ci.99999999999999.",
    `sett_session=ci.1.${mac}`,
    "sett_session=",
    "sett_session",
    "sett_session=...",
  ])
    expect(cookies.read(bad)).toBeUndefined();
});

test("only what a browser says the page itself has sent comes from it", () => {
  const from = (headers: Record<string, string>) =>
    isFromOwnPage({ headers: new Headers({ host: "127.0.0.1:8443", ...headers }) });
  expect(from({ "sec-fetch-site": "same-origin" })).toBe(true);
  expect(from({ origin: "http://127.0.0.1:8443" })).toBe(true);
  for (const site of ["same-site", "cross-site", "none", ""]) expect(from({ "sec-fetch-site": site })).toBe(false);
  for (const origin of ["http://127.0.0.1:9000", "http://127.0.0.1", "null", "nonsense", "http://127.0.0.1:8443.evil.example"])
    expect(from({ origin })).toBe(false);
  expect(from({})).toBe(false);
});
