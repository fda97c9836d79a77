import { describe, expect, test } from "bun:test";
import { artefactDetails } from "../../../../../apps/cli/render/artefact-details.ts";
import { eventLine } from "../../../../../apps/cli/render/event-line.ts";
import { table } from "../../../../../apps/cli/render/table.ts";
import { agoOf, formatAge } from "../../../../../apps/cli/text/age.ts";
import { oneLine, plainLines, shorten } from "../../../../../apps/cli/text/plain-text.ts";
import { createStyle } from "../../../../../apps/cli/text/style.ts";
import { suggestFor } from "../../../../../apps/cli/text/suggest.ts";
import { wrap } from "../../../../../apps/cli/text/wrap.ts";
import { EventType, type SettEvent } from "../../../../../lib/model/event.ts";
import { InstanceName } from "../../../../../lib/model/ids.ts";
import { agentName, newArtefactId, newClaimId, newGoalId, sampleArtefact } from "../../../../support/records/sample.ts";

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
  test.each(EventType.options)("tells %s in words, with no gap where something is missing", (type) => {
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
  });

  test("tells time, goal, who and what, in this order", () => {
    const event = sampleEvent();
    const line = eventLine(event, plain);
    expect(line).toMatch(/^\d\d:\d\d:\d\d {2}[0-9a-f]{8} {2}coder {11}bids exclusive on claim [0-9a-f]{8}$/);
    expect(line).toContain(event.goal_id?.slice(0, 8) ?? "");
  });

  test("tells whose place an agent takes, and why", () => {
    const data = { phase: "exclusive", attempt: 1, instead_of: "painter", because: "It is not registered any more." };
    const line = eventLine(sampleEvent({ type: "grant_queued", actor: "orchestrator:1", data }), plain);
    expect(line).toEndWith(" to coder (exclusive), in place of painter: It is not registered any more.");
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

test("what people ask for, and what comes of it, is told with their names, without their addresses", () => {
  const ada = "person:Ada Lovelace <ada@sett.invalid>";
  const told = (over: Partial<SettEvent>) => eventLine(sampleEvent({ goal_id: undefined, ...over }), plain).slice(10);
  const [about, claim] = [newArtefactId(), newClaimId()];
  const [short, shortClaim] = [about.slice(0, 8), claim.slice(0, 8)];
  const by = { actor: "orchestrator:3", data: { by: ada, ending: "cancelled" } };
  const grant = { actor: "orchestrator:3", artefact_id: about, claim_id: claim, agent: agentName("maintainer") };
  expect(told({ type: "pause_requested", actor: ada })).toBe("·         Ada Lovelace    asks for a pause");
  expect(told({ type: "instance_paused", ...by })).toBe("·         orchestrator    pauses the instance, as Ada Lovelace asked");
  expect(told({ type: "instance_resumed", ...by })).toEndWith("lets the instance go on, as Ada Lovelace asked");
  expect(told({ type: "goal_ended", ...by })).toEndWith("ends the goal: cancelled, as Ada Lovelace asked");
  expect(told({ type: "grant_waiting", ...grant })).toEndWith(`asks maintainer to approve or reject ${short}`);
  expect(told({ type: "grant_done", ...grant, actor: ada })).toEndWith(`has judged for maintainer on claim ${shortClaim}`);
  const bid = told({ type: "bid_placed", ...grant, data: { word: "review" } });
  expect(bid).toEndWith(`bids review on claim ${shortClaim} for maintainer, by its rules`);
});

test("an attempt that an agent has lost is ended by the orchestrator, not failed by it", () => {
  const lost = sampleEvent({ type: "grant_failed", actor: "orchestrator:1" as SettEvent["actor"] });
  expect(eventLine(lost, plain)).toContain("ends the attempt of coder on claim");
  expect(eventLine(sampleEvent({ type: "grant_failed" }), plain)).toContain("fails on claim");
});

test("a result that comes too late is told from one that somebody has written by hand", () => {
  const byHand = sampleEvent({ type: "result_refused", actor: "hand" });
  expect(eventLine(byHand, plain)).toMatch(/by hand +writes a result of claim .{8} for coder, which is refused: Because$/);
  expect(eventLine(sampleEvent({ type: "result_refused" }), plain)).toContain("comes too late with a result");
});

test("what is done by hand names the agent that it is done for, and refuses nothing itself", () => {
  const [about, claim] = [newArtefactId(), newClaimId()];
  const [short, shortClaim] = [about.slice(0, 8), claim.slice(0, 8)];
  const told = (over: Partial<SettEvent>, beside = {}) => {
    const event = sampleEvent({ actor: "hand", artefact_id: about, claim_id: claim, agent: agentName("approver"), ...over });
    return eventLine(event, plain, beside).slice("00:00:00  00000000  ".length);
  };
  expect(told({ type: "bid_placed", data: { word: "review" } })).toBe(
    `by hand         bids review on claim ${shortClaim} for approver`,
  );
  expect(told({ type: "grant_started" })).toBe(`by hand         works on claim ${shortClaim} for approver`);
  expect(told({ type: "grant_done" })).toBe(`by hand         is done with claim ${shortClaim} for approver`);
  expect(told({ type: "artefact_created" }, { maker: "approver" })).toBe(`by hand         posts Report ${short} for approver`);
  expect(told({ type: "artefact_refused", data: { reason: "Why" } })).toBe(
    `by hand         writes artefact ${short}, which is refused: Why`,
  );
  const bid = { word: "maybe", reason: "not a bid word" };
  const refused = `by hand         bids maybe on claim ${shortClaim} for approver, which is refused: not a bid word`;
  expect(told({ type: "bid_refused", data: bid })).toBe(refused);
  expect(told({ type: "bid_refused", agent: undefined, data: { ...bid, name: "approver" } })).toBe(refused);
});

test("an age just now is no ago", () => {
  expect(["2026-01-01T00:00:00.000Z", "2025-12-31T23:59:00.000Z"].map((at) => agoOf(at, Date.UTC(2026, 0, 1)))).toEqual([
    "just now",
    "1m ago",
  ]);
});

test("colours stand only where they are wanted", () => {
  expect(eventLine(sampleEvent(), plain, { summary: "a summary" })).not.toContain(esc);
  expect(eventLine(sampleEvent(), coloured, { summary: "a summary" })).toContain(esc);
});

test("an age is told in the largest unit that fits", () => {
  const ages = [-5, 0, 999, 1_000, 59_999, 60_000, 3_600_000, 90_000_000];
  expect(ages.map(formatAge)).toEqual(["now", "now", "now", "1s", "59s", "1m", "1h", "1d"]);
});

describe("a table", () => {
  const rows = [
    [{ text: "é", paint: coloured.red }, { text: "a long story" }],
    [{ text: "wide" }, { text: "" }],
  ];

  test("stands in columns, whatever is coloured", () => {
    const lines = table(["A", "STORY"], rows, plain, undefined);
    expect(lines).toEqual(["A     STORY", `${coloured.red("é")}     a long story`, "wide"]);
  });

  test("is cut to the terminal in its last column only", () => {
    const [, first] = table(["A", "STORY"], rows, plain, 14);
    expect(first).toEndWith("a long …");
  });

  test("is broken between words where other columns are too wide, and fits into the terminal", () => {
    const agents = ["changelog", "licences", "packager", "reviewer", "secrets", "tester"].join(", ");
    const row = ["demo", "running", agents, "29s", "/home/ada/doors/front/left"].map((text) => ({ text }));
    const lines = table(["NAME", "STATE", "AGENTS", "AGE", "WORKSPACE"], [row], plain, 60);
    expect(lines).toEqual([
      "NAME  STATE    AGENTS                  AGE  WORKSPACE",
      "demo  running  changelog, licences,    29s  /home/ada/doors…",
      "               packager, reviewer,",
      "               secrets, tester",
    ]);
  });

  test("counts the columns that a terminal gives to what it writes", () => {
    const lines = table(
      ["TYPE", "BY"],
      [
        [{ text: "報告" }, { text: "é" }],
        [{ text: "e\u0301" }, { text: "ok" }],
      ],
      plain,
      40,
    );
    expect(lines).toEqual(["TYPE  BY", "報告  é", "e\u0301     ok"]);
  });
});

describe("a line that is too long for the terminal", () => {
  const line = "  waits for `coder`, which is silent";

  test("is broken between words, and goes on as far in as it began or as it is told to", () => {
    expect(wrap(line, { columns: 20 })).toBe("  waits for `coder`,\n  which is silent");
    expect(wrap(line, { columns: 24, indent: 4 })).toBe("  waits for `coder`,\n    which is silent");
    expect(wrap(coloured.red(line), { columns: 20 })).toBe(coloured.red("  waits for `coder`,\n  which is silent"));
    expect(wrap(line, { columns: undefined })).toBe(line);
  });

  test("keeps whole what may be copied: a command stays one line, and a word is the terminal's to break", () => {
    const command = wrap("  → sett answer 9f3a12b4 now", { columns: 20, indent: 4, isOneLine: true });
    expect(command).toBe("  → sett answer         9f3a12b4 now");
    expect(command.slice(0, 20)).toBe("  → sett answer     ");
    // Words that fill a row to its edge are still two.
    expect(wrap("one two three", { columns: 7, isOneLine: true })).toBe("one    two    three");
    expect(wrap("seven77 three", { columns: 7, isOneLine: true })).toBe("seven77       three");
    expect(wrap("see abcdefghijklmnopqrstuvwxyz there", { columns: 10 })).toBe("see\nabcdefghijklmnopqrstuvwxyz\nthere");
  });
});

test("text from agents keeps no control characters", () => {
  expect(oneLine(` a\tb\n\nc${esc}[0m\u202e`)).toBe("a b c�");
  expect(plainLines(`a\r\n\tb${esc}`)).toBe("a\n\tb�");
  expect(shorten("ábcdef", 4)).toBe("ábc…");
  expect(shorten("ábcd", 4)).toBe("ábcd");
});

test("an artefact's details name the ref of its commit and begin with its content", () => {
  const commit = "0123456789012345678901234567890123456789";
  const payload = Array.from({ length: 30 }, (_, line) => `line ${line}`).join("\n");
  const artefact = sampleArtefact({ payload, metadata: { summary: "Sum", commit: commit as never, last_tag: "v1" } });
  const text = artefactDetails(artefact, InstanceName.parse("demo"), {
    out: { style: plain, columns: undefined },
    nowMs: Date.parse(artefact.created_at) + 61_000,
    payload: "excerpt",
    suggest: suggestFor(undefined),
  });
  expect(text).toContain(`refs/sett/demo/${artefact.id}`);
  expect(text).toContain("1m ago");
  expect(text).toContain('{"last_tag":"v1"}');
  expect(text).toContain("line 9");
  expect(text).not.toContain("line 10");
  expect(text).toContain(`sett unearth ${artefact.id.slice(0, 8)}`);
});
