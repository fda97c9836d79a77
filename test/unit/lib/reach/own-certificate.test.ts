// A running service renews its certificate by itself.
import { expect, test } from "bun:test";
import { X509Certificate } from "node:crypto";
import { OwnCertificate } from "../../../../lib/reach/own-certificate.ts";

const dayMs = 24 * 3_600_000;
const begin = Date.parse("2026-11-26T12:00:00Z");

function certificateAt() {
  let ms = begin;
  const clock = { now: () => new Date(ms), passedMs: () => ms };
  const own = new OwnCertificate("5e".repeat(32), clock);
  return { own, set: (to: number) => (ms = to), now: () => ms };
}

test("in two years of looks each hour there is no moment without a valid certificate", () => {
  const { own, set, now } = certificateAt();
  let renewals = 0;
  for (let hour = 0; hour < 2 * 365 * 24; hour++) {
    set(begin + hour * 3_600_000);
    if (own.renewed() === undefined && hour > 0) continue;
    renewals++;
    const { validFromDate, validToDate } = new X509Certificate(own.current.cert);
    // A caller's clock may be behind by a day, or before by more.
    expect(validFromDate.getTime()).toBeLessThanOrEqual(now() - dayMs);
    expect(validToDate.getTime()).toBeGreaterThanOrEqual(now() + 29 * dayMs);
  }
  expect(renewals).toBe(73);
});

test("a service that slept for months, and one whose clock was set back, renew at once", () => {
  const { own, set } = certificateAt();
  expect(own.renewed()).toBeUndefined();
  set(begin + 200 * dayMs);
  expect(own.renewed()).toBe(own.current);
  expect(own.renewed()).toBeUndefined();
  set(begin);
  expect(own.renewed()).toBe(own.current);
});
