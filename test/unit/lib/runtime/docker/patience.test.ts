import { expect, test } from "bun:test";
import {
  buildSilenceMs,
  limitIn,
  limitsOf,
  patienceIn,
  usualPatienceMs,
} from "../../../../../lib/runtime/docker/patience.ts";
import { errorOf } from "../../../../support/error-of.ts";

test("a person's patience counts for each request, and never makes a short look shorter", async () => {
  expect([patienceIn({}), limitIn({}, 10_000)]).toEqual([usualPatienceMs, 10_000]);
  const slow = { SETT_DOCKER_TIMEOUT: "10m" };
  expect([patienceIn(slow), limitIn(slow, 10_000)]).toEqual([600_000, 600_000]);
  const quick = { SETT_DOCKER_TIMEOUT: "1s" };
  expect([patienceIn(quick), limitIn(quick, 10_000)]).toEqual([1_000, 10_000]);
  const odd = await errorOf(() => limitIn({ SETT_DOCKER_TIMEOUT: "long" }, 10_000));
  expect(odd.message).toContain("SETT_DOCKER_TIMEOUT must be a duration");
});

test("no patience is longer than a timer can be, which would ring at once", () => {
  const week = patienceIn({ SETT_DOCKER_TIMEOUT: "7d" });
  const { answerMs, silenceMs } = limitsOf("/images/create?fromImage=a", week);
  for (const limitMs of [buildSilenceMs(week), answerMs, silenceMs])
    expect(limitMs).toBeWithin(week, 2 ** 31);
  expect(limitsOf("/containers/a/wait", week).answerMs).toBe(Number.POSITIVE_INFINITY);
});

test("an engine may take as long to say what it is as for any other answer", () => {
  expect(limitsOf("/info", usualPatienceMs)).toEqual(limitsOf("/version", usualPatienceMs));
});
