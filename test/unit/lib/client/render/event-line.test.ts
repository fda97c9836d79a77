import { describe, expect, test } from "bun:test";
import { eventLine, eventRows } from "../../../../../lib/client/render/event-line.ts";
import { createStyle } from "../../../../../lib/client/text/style.ts";
import { EventType, type SettEvent } from "../../../../../lib/model/event.ts";
import {
  agentName,
  newArtefactId,
  newClaimId,
  newGoalId,
} from "../../../../support/records/sample.ts";

const plain = createStyle(false);
const coloured = createStyle(true);
const esc = "\u001b";

const sampleEvent = (over: Partial<SettEvent> = {}): SettEvent => ({
  id: "1-0",
  time: "2026-01-01T12:00:00.000Z",
  actor: "agent:coder",
  type: "bid_placed",
  goal_id: newGoalId(),
  claim_id: newClaimId(),
  artefact_id: newArtefactId(),
  agent: agentName("coder"),
  data: {
    word: "exclusive",
    phase: "exclusive",
    attempt: 1,
    reason: "Because",
    type: "Report",
    structural_type: "Standard",
    kind: "rework",
  },
  ...over,
});

describe("an event's line", () => {
  test.each(EventType.options)(
    "describes %s in words, with no gap where something is missing",
    (type) => {
      const full = eventLine(sampleEvent({ type }), plain);
      expect(full).not.toMatch(/undefined|\[object|_/);
      const {
        goal_id: _goal,
        claim_id: _claim,
        artefact_id: _artefact,
        agent: _agent,
        data: _data,
        ...bare
      } = sampleEvent({ type });
      expect(eventLine(bare, plain)).not.toMatch(/undefined|NaN/);
    },
  );

  test("has time, goal, who and what, in this order", () => {
    const event = sampleEvent({ data: { word: "exclusive" } });
    const line = eventLine(event, plain);
    expect(line).toMatch(
      /^\d\d:\d\d:\d\d {2}[0-9a-f]{8} {2}coder {11}bids exclusive on claim [0-9a-f]{8}$/,
    );
    expect(line).toContain(event.goal_id?.slice(0, 8) ?? "");
  });

  test("says why a model has bid so", () => {
    const because = (word: string) =>
      eventLine(sampleEvent({ data: { word, reason: "It is\nabout code." } }), plain);
    expect(because("claim")).toMatch(/bids claim on claim [0-9a-f]{8}: It is about code\.$/);
    expect(because("ignore")).toMatch(/bids ignore on claim [0-9a-f]{8}: It is about code\.$/);
  });

  test("says whose stand-in an agent is, and why", () => {
    const data = {
      phase: "exclusive",
      attempt: 1,
      instead_of: "painter",
      because: "It is not registered any more.",
    };
    const line = eventLine(
      sampleEvent({ type: "grant_queued", actor: "orchestrator:1", data }),
      plain,
    );
    expect(line).toEndWith(
      " to coder (exclusive), in place of painter: It is not registered any more.",
    );
  });

  test("cannot be forged or coloured by what an agent wrote", () => {
    const event = sampleEvent({
      type: "artefact_created",
      data: { structural_type: "Standard", type: `Evil${esc}[31m\nType`, version: 1 },
    });
    const line = eventLine(event, plain, { summary: `a\r\n12:00:00 forged ${esc}]0;title\u0007` });
    expect(line.split("\n")).toHaveLength(1);
    expect(line).not.toContain(esc);
    expect(line).not.toContain("\r");
  });
});

test("people's requests, and what comes of them, are shown with their names, without their addresses", () => {
  const ada = "person:Ada Lovelace <ada@sett.invalid>";
  const lineOf = (over: Partial<SettEvent>) =>
    eventLine(sampleEvent({ goal_id: undefined, ...over }), plain).slice(10);
  const [about, claim] = [newArtefactId(), newClaimId()];
  const [short, shortClaim] = [about.slice(0, 8), claim.slice(0, 8)];
  const by = { actor: "orchestrator:3", data: { by: ada, ending: "cancelled" } };
  const grant = {
    actor: "orchestrator:3",
    artefact_id: about,
    claim_id: claim,
    agent: agentName("maintainer"),
  };
  expect(lineOf({ type: "pause_requested", actor: ada, data: {} })).toBe(
    "·         Ada Lovelace    asks to pause the instance",
  );
  const closed = { actor: "forge:hub", data: { reason: "Pull request 5 was closed" } };
  expect(lineOf({ type: "cancel_requested", ...closed })).toEndWith(
    "asks to cancel the goal: Pull request 5 was closed",
  );
  expect(lineOf({ type: "instance_paused", ...by })).toBe(
    "·         orchestrator    pauses the instance, as Ada Lovelace asked",
  );
  expect(lineOf({ type: "instance_resumed", ...by })).toEndWith(
    "resumes the instance, as Ada Lovelace asked",
  );
  expect(lineOf({ type: "goal_ended", ...by })).toEndWith(
    "ends the goal: cancelled, as Ada Lovelace asked",
  );
  expect(lineOf({ type: "grant_waiting", ...grant })).toEndWith(
    `asks maintainer to approve or reject ${short}`,
  );
  expect(lineOf({ type: "grant_done", ...grant, actor: ada })).toEndWith(
    `reviews claim ${shortClaim} for maintainer`,
  );
  const rejecting = { type: "grant_done", ...grant, actor: ada, data: { rejects: true } } as const;
  expect(lineOf(rejecting)).toEndWith(`rejects what claim ${shortClaim} is about for maintainer`);
});

test("bids that agents have given in advance share a line", () => {
  const line = (bids: string, isFolded = false) =>
    eventLine(
      sampleEvent({ type: "bids_placed", agent: undefined, data: { bids, missing: 0 } }),
      plain,
      { isFolded },
    );
  const bids = "coder:exclusive lead:ignore tester:review";
  expect(line(bids)).toMatch(
    /notes the bids on claim .{8}: coder exclusive, tester review, ignored by lead$/,
  );
  expect(line(bids, true)).toMatch(/ on claim .{8}: coder exclusive, tester review$/);
  expect(line("lead:ignore nonsense other:shout")).toMatch(/ on claim .{8}: ignored by lead$/);
  const many = Array.from({ length: 10 }, (_, at) => `a${at}:ignore`).join(" ");
  expect(line(many)).toEndWith(", a6, a7 and 2 more");
});

test("an attempt that an agent has lost is ended by the orchestrator, not failed by it", () => {
  const lost = sampleEvent({ type: "grant_failed", actor: "orchestrator:1" as SettEvent["actor"] });
  expect(eventLine(lost, plain)).toContain("ends the attempt of coder on claim");
  expect(eventLine(sampleEvent({ type: "grant_failed" }), plain)).toContain("fails on claim");
});

test("a result that comes too late reads differently from one that is lost with its source", () => {
  expect(eventLine(sampleEvent({ type: "result_refused" }), plain)).toMatch(
    /delivers a result of claim .{8} too late/,
  );
  const again = sampleEvent({
    type: "result_refused",
    data: { reason: "Because", source: newArtefactId() },
  });
  expect(eventLine(again, plain)).toMatch(
    /delivers a result of claim .{8} that must be made again: Because/,
  );
});

test("what is adopted or refused is said as the hand's", () => {
  const about = newArtefactId();
  const lineOf = (over: Partial<SettEvent>) =>
    eventLine(sampleEvent({ actor: "hand", artefact_id: about, ...over }), plain).slice(
      "00:00:00  00000000  ".length,
    );
  const short = about.slice(0, 8);
  expect(lineOf({ type: "artefact_created" })).toBe(`by hand         posts Report ${short}`);
  expect(lineOf({ type: "artefact_refused", data: { reason: "Why" } })).toBe(
    `by hand         writes artefact ${short}, which is refused: Why`,
  );
});

test("colours stand only where they are wanted", () => {
  expect(eventLine(sampleEvent(), plain, { summary: "a summary" })).not.toContain(esc);
  expect(eventLine(sampleEvent(), coloured, { summary: "a summary" })).toContain(esc);
});

describe("the line of a trigger", () => {
  const lineOf = (type: "trigger_fired" | "trigger_skipped", data: SettEvent["data"]) =>
    eventLine(
      {
        id: "1-0",
        time: "2026-01-01T12:00:00.000Z",
        actor: "trigger:nightly",
        type,
        ...(data && { data }),
      },
      plain,
    ).slice(20);

  test("says what it has fired for, and which runs were missed", () => {
    expect(lineOf("trigger_fired", { kind: "tag", cause: "tag v1" })).toBe(
      "nightly         fires (tag v1)",
    );
    expect(lineOf("trigger_fired", { cause: "2026-01-01T03:00:00.000Z", missed: 3 })).toEndWith(
      "fires (2026-01-01T03:00:00.000Z), for 3 runs that were missed",
    );
    expect(lineOf("trigger_fired", { missed: 1 })).toEndWith("fires, for a run that was missed");
  });

  test("says where the work begins when the repository does not have the commit", () => {
    const line = lineOf("trigger_fired", {
      cause: "push main",
      wanted_commit: "da1560886d4f094c3e6c9ef40349f7d38b5d27d7",
    });
    expect(line).toEndWith(
      "fires (push main); begins at HEAD, because the repository does not have da1560886d4f",
    );
  });

  test("says why it does not fire, as one line", () => {
    const line = lineOf("trigger_skipped", { cause: "push x", reason: "The branch x\nis none." });
    expect(line).toEndWith("does not fire (push x): The branch x is none.");
  });
});

test("what does not fit in a row has the words of agents on rows of their own, each with a bar", () => {
  const forged = `Done ${"and done ".repeat(12)}→ sett approve 12345678`;
  const rows = eventRows(
    sampleEvent({ type: "artefact_created" }),
    { style: plain, columns: 80 },
    { summary: forged },
  );
  expect(rows.length).toBeGreaterThan(2);
  for (const row of rows.slice(1)) expect(row).toMatch(/^ {36}│ /);
  const data = { phase: "exclusive", attempt: 1, reason: `exit 1: ${"x".repeat(900_000)}` };
  const failed = eventRows(sampleEvent({ type: "grant_failed", data }), {
    style: plain,
    columns: 80,
  });
  expect(failed.join("").length).toBeLessThan(3_000);
  for (const row of failed.slice(1)) expect(row).toMatch(/^ {36}│ /);
  expect(
    eventRows(sampleEvent({ type: "grant_failed", data }), { style: plain, columns: undefined }),
  ).toHaveLength(1);
});

test("the type of an artefact begins no row, and is quoted where it is more than a word", () => {
  const type = "Draft → sett approve 12345678";
  const event = sampleEvent({
    type: "artefact_created",
    data: { type, structural_type: "Standard", version: 1 },
  });
  for (let columns = 60; columns <= 120; columns += 1)
    for (const row of eventRows(event, { style: plain, columns }))
      expect(row).not.toMatch(/^\s*(?:→|sett|approve)/);
  expect(eventLine(event, plain)).toContain(`posts “${type.replaceAll(" ", "\u00a0")}” `);
});
