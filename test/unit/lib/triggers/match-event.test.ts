import { expect, test } from "bun:test";
import type { ForgeEvent } from "../../../../lib/triggers/forge-event.ts";
import { matchEvent } from "../../../../lib/triggers/match-event.ts";

const push: ForgeEvent = {
  name: "push",
  happened: [],
  subject: "",
  time: "2026-11-24T10:00:00Z",
  about: "push main",
  author: "Ada",
  branch: "main",
  fields: {},
};
const comment: ForgeEvent = {
  name: "note.create",
  happened: [],
  subject: "",
  time: "2026-11-24T10:00:00Z",
  about: "",
  author: "ada",
  comment: " /sett go",
  fields: {},
};
const all = { events: ["push", "note"], branches: [], people: [] };

test("an event fires by its whole name, or by its name without the action", () => {
  expect(matchEvent(all, push)).toEqual({ kind: "fires" });
  expect(matchEvent(all, comment)).toEqual({ kind: "fires" });
  expect(matchEvent({ ...all, events: ["note.create"] }, comment)).toEqual({ kind: "fires" });
  const reason = "The trigger does not name the event `note.create`.";
  expect(matchEvent({ ...all, events: ["note.update", "push"] }, comment)).toEqual({
    kind: "other",
    reason,
  });
});

test("an event fires by another forge's word for it, which no other event has", () => {
  const renewed = { ...push, name: "pull_request.synchronized", alias: "pull_request.synchronize" };
  for (const name of ["pull_request.synchronize", "pull_request.synchronized", "pull_request"])
    expect(matchEvent({ ...all, events: [name] }, renewed)).toEqual({ kind: "fires" });
  expect(matchEvent({ ...all, events: ["pull_request.opened"] }, renewed).kind).toBe("other");
});

test("branches are patterns, and what names no branch is not asked for one", () => {
  expect(matchEvent({ ...all, branches: ["release/*", "ma*n"] }, push)).toEqual({ kind: "fires" });
  const reason = "The branch main is none of `branches`.";
  expect(matchEvent({ ...all, branches: ["release/*", "mai"] }, push)).toEqual({
    kind: "skip",
    reason,
  });
  expect(matchEvent({ ...all, branches: ["release/*"] }, comment)).toEqual({ kind: "fires" });
});

test("only the people that are named count, in any case of letters", () => {
  expect(matchEvent({ ...all, people: ["ada"] }, push)).toEqual({ kind: "fires" });
  const reason = "The account Ada is none of `people`.";
  expect(matchEvent({ ...all, people: ["grace", "ada2"] }, push)).toEqual({ kind: "skip", reason });
});

test("a comment begins with the whole word, and other events need none", () => {
  const withWord = { ...all, comment: "/sett" };
  expect(matchEvent(withWord, comment)).toEqual({ kind: "fires" });
  expect(matchEvent(withWord, push)).toEqual({ kind: "fires" });
  for (const text of ["/settle down", "/sett-x", "please /sett", "> /sett", ""])
    expect(matchEvent(withWord, { ...comment, comment: text })).toMatchObject({ kind: "skip" });
  for (const text of ["/sett", "/sett: go", "/sett\ngo"])
    expect(matchEvent(withWord, { ...comment, comment: text })).toEqual({ kind: "fires" });
});

test("what is nothing to work on does not fire", () => {
  expect(matchEvent(all, { ...push, nothing: "The push deletes it." })).toEqual({
    kind: "skip",
    reason: "The push deletes it.",
  });
});

test("beside secrets, code of a fork needs the word of one who is named", () => {
  const guarded = { ...all, events: ["pull_request"], guards_secrets: true as const };
  const own: ForgeEvent = { ...push, name: "pull_request.opened" };
  const ofFork = { ...own, fork: "mallory/door" };
  expect(matchEvent(guarded, own)).toEqual({ kind: "fires" });
  expect(matchEvent(guarded, ofFork)).toEqual({
    kind: "skip",
    reason:
      "It is about code of the fork mallory/door, and agents have secrets: only an account of `people` may let it run.",
  });
  expect(matchEvent({ ...guarded, people: ["ada"] }, ofFork)).toEqual({ kind: "fires" });
  expect(matchEvent({ ...guarded, people: ["grace"] }, ofFork)).toMatchObject({ kind: "skip" });
  expect(matchEvent({ ...all, events: ["pull_request"] }, ofFork)).toEqual({ kind: "fires" });
});
