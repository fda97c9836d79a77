import { expect, test } from "bun:test";
import {
  noticeProblemSentence,
  traceProblemSentence,
} from "../../../../../lib/client/render/notice-problem.ts";

const nowMs = Date.parse("2026-11-26T06:10:00.000Z");
const problem = {
  hook: "h",
  to: "http://hooks.example.org:8080",
  since: "2026-11-26T06:00:00.000Z",
  reason: "Unable to connect",
  is_given_up: false,
};
const sentence = (over: Partial<typeof problem> & { status?: number; place?: number }) =>
  noticeProblemSentence({ ...problem, ...over }, nowMs, (words) => `sett ${words}`);

test("it has the address, since when, the reason, and what follows", () => {
  expect(sentence({})).toBe(
    "The webhook http://hooks.example.org:8080 could not be notified for 10m: Unable to connect. It is tried again. " +
      "Does it run, and listen where containers reach it? Or correct `notify` in sett.yml, then `sett up`.",
  );
  expect(sentence({ place: 2 })).toStartWith(
    "The webhook http://hooks.example.org:8080 (number 2 in `notify`) could not be notified",
  );
  expect(sentence({ is_given_up: true })).toContain(
    "That notification is given up; the next one is tried.",
  );
});

test.each([
  ...["http://localhost:9", "http://127.0.0.1:9", "http://[::1]:9"],
  ...["http://localhost.:9", "http://127.0.0.2:9", "http://0.0.0.0:9"],
])("%s is the container itself, and without containers something may not run", (to) => {
  expect(sentence({ to })).toMatch(
    /Does it run, and listen there\? In a container \S+ is the container itself: this machine is host\.docker\.internal\./,
  );
});

test("a receiver on this machine may hear itself alone, or a firewall may keep containers out", () => {
  expect(sentence({ to: "http://host.docker.internal:9" })).toContain(
    "Does it run, listen on more than 127.0.0.1, and does this machine's firewall let containers reach it? Or correct",
  );
});

test.each(["The operation timed out.", "Request timed out"])(
  "%p may be of a receiver that takes the request and never answers",
  (reason) => {
    for (const to of ["http://host.docker.internal:9", "http://hooks.example.org", problem.to])
      expect(sentence({ to, reason })).toContain("Does it run, answer in time, ");
  },
);

test.each([
  [500, "Something answers there: its own log says why. Or correct"],
  [
    404,
    "Something answers there: is it the right address, with the right path and key? Or correct",
  ],
])("where it answers %p, no person is sent to look whether it runs", (status, remedy) => {
  const to = "http://host.docker.internal:9";
  const { hook: _hook, is_given_up: _given, ...traces } = { ...problem, to, status };
  const said = [sentence({ to, status }), traceProblemSentence(traces, nowMs, String)];
  for (const one of said) expect(one).toContain(remedy);
  expect(said[1]).toContain(
    status === 404 ? "Those that it refuses are not sent again." : "and sent again.",
  );
});

test("what it quotes controls no terminal", () => {
  const said = sentence({ reason: "a\nb\u001b[31m" });
  for (const sign of ["\n", "\u001b"]) expect(said).not.toContain(sign);
});
