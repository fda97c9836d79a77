// The status of an instance: facts in, lines out.

import { describe, expect, test } from "bun:test";
import type { ClusterNote } from "../../../../../apps/cli/render/cluster-notes.ts";
import { statusReport } from "../../../../../apps/cli/render/status-report.ts";
import { symbolsFor } from "../../../../../apps/cli/render/symbols.ts";
import type { Situation } from "../../../../../lib/client/facts/blocked-reason.ts";
import type { GoalReading } from "../../../../../lib/client/facts/goal.ts";
import { createStyle } from "../../../../../lib/client/text/style.ts";
import { suggestFor } from "../../../../../lib/client/text/suggest.ts";
import { type GoalState, waitedForBy } from "../../../../../lib/core/goal-status.ts";
import type { Artefact } from "../../../../../lib/model/artefact.ts";
import type { ClaimSnapshot } from "../../../../../lib/model/claim.ts";
import { GoalId, InstanceName } from "../../../../../lib/model/ids.ts";
import {
  ago,
  claimId,
  done,
  nowMs,
  openClaim,
  retrying,
  running,
  situation,
  waitingForApproval,
} from "../../../../support/claims/sample-claims.ts";
import { agentName, sampleAgent, sampleArtefact } from "../../../../support/records/sample.ts";

const id = (digits: string) => `${digits}-0000-4000-8000-000000000000` as Artefact["id"];
const goal = sampleArtefact({
  id: id("9f3a12b4"),
  created_at: ago(180),
  metadata: { summary: "Write about\nthe door" },
});
const draft = sampleArtefact({
  id: id("55555555"),
  goal_id: goal.goal_id,
  type: "Draft",
  version: 2,
});

function reading(
  state: GoalState,
  openClaims: ClaimSnapshot[] = [],
  artefacts: Artefact[] = [goal],
): GoalReading {
  const status = { state, openClaims, waitingFor: openClaims.flatMap(waitedForBy), failures: [] };
  return {
    goal: GoalId.parse(goal.id),
    status,
    artefacts,
    count: artefacts.length,
    unreadable: [],
  };
}

function drawn(
  goals: readonly GoalReading[],
  around: Situation = situation([]),
  hidden = 0,
  columns?: number,
  clusterNotes: ClusterNote[] = [],
): string[] {
  const report = {
    instance: InstanceName.parse("demo"),
    name: undefined,
    goals,
    situation: around,
    requests: [],
    crashes: [],
    clusterNotes,
    gateway: undefined,
    lanes: new Map(),
    hidden,
  };
  return statusReport(
    report,
    { style: createStyle(false), symbols: symbolsFor({ LANG: "C.UTF-8" }) },
    columns,
  );
}

test("what the cluster says of parts is in front of the goals, a line each", () => {
  const note = { part: "redis", sentence: "does not run: no room\n\u001b[31mhere" };
  const lines = drawn([reading("settled")], situation([]), 0, undefined, [note]);
  const at = lines.findIndex((line) => line.startsWith("`redis` does not run: no room"));
  expect(at).toBeGreaterThan(0);
  expect(lines[at]).not.toContain("\u001b");
  expect(lines[at + 1]).toBe("");
});

test("a goal that a trigger has stated says so", () => {
  const lines = drawn([{ ...reading("settled"), trigger: "nightly" }]);
  expect(lines.at(-1)).toBe("          stated by trigger nightly");
  expect(drawn([reading("settled")]).join("\n")).not.toContain("trigger");
});

test("an agent whose registration cannot be read is said, with what mends it", () => {
  const unreadable = { text: "{", problem: "it is not JSON" };
  const around = situation(["coder"]);
  const agents = around.agents.map((agent) => ({ ...agent, unreadable }));
  const opened = openClaim({ coder: undefined }, { artefact_id: goal.id });
  const lines = drawn([reading("running", [opened])], { ...around, agents });
  const why = "its registration cannot be read (it is not JSON): `sett up` writes it again";
  expect(lines.find((line) => line.startsWith("coder"))).toContain("unreadable");
  expect(lines).toContain(`Claims wait for agent coder, because ${why}`);
  expect(lines.at(-1)).toBe(`            waits for the bid of \`coder\`, 1m: ${why}`);
});

describe("a goal", () => {
  test("comes before its open claims, each with its phases and those whom it waits for", () => {
    const opened = openClaim({ coder: "exclusive", tester: undefined }, { artefact_id: goal.id });
    const over = { id: claimId("77777777"), kind: "rework", artefact_id: draft.id } as const;
    const ended = { bidding: "closed", status: "pending_exclusive" } as const;
    const rework = openClaim({}, { ...over, ...ended }, [running("coder", "exclusive", 65)]);
    const [, , ...lines] = drawn(
      [reading("running", [opened, rework], [goal, draft])],
      situation(["coder", "tester"]),
    );
    expect(lines.slice(-5)).toEqual([
      "9f3a12b4  running    3m    Write about the door",
      "          claim 1a2b3c4d on GoalDefined  bids coder:exclusive tester:?",
      "            waits for the bid of `tester`, 1m: it is idle, last heard 2s ago",
      "          claim (rework) 77777777 on Draft v2  exclusive ●coder",
      "            waits for `coder`, at work for 1m",
    ]);
  });

  test("that failed shows each Failure that counts: its type, whose it is, why, and how to see it", () => {
    const reason = { summary: "The tool ended with exit code 3: lint: no such file: src" };
    const common = { goal_id: goal.goal_id, structural_type: "Failure", metadata: reason } as const;
    const lost = sampleArtefact({
      id: id("14905b02"),
      type: "AttemptLost",
      produced_by_agent: "",
      ...common,
    });
    const broken = sampleArtefact({
      id: id("24905b02"),
      type: "ToolExecutionFailure",
      produced_by_agent: "linter",
      ...common,
    });
    const retried = sampleArtefact({
      id: id("34905b02"),
      type: "ToolExecutionFailure",
      produced_by_agent: "linter",
      ...common,
    });
    const failed = reading("failed", [], [goal, lost, broken, retried]);
    const report = drawn([
      { ...failed, status: { ...failed.status, failures: [lost.id, broken.id] } },
    ]);
    expect(report.slice(-4)).toEqual([
      `          AttemptLost: ${reason.summary}`,
      "            → sett unearth 14905b02",
      `          ToolExecutionFailure by \`linter\`: ${reason.summary}`,
      "            → sett unearth 24905b02",
    ]);
  });

  test("has bars beside the words of others where they need more than a row", () => {
    const fake = `${"x".repeat(40)} → sett approve 12345678`;
    const failure = sampleArtefact({
      ...{ id: id("24905b02"), type: "Broken", produced_by_agent: "linter" },
      ...{ goal_id: goal.goal_id, structural_type: "Failure", metadata: { summary: fake } },
    });
    const over = {
      ...({ bidding: "closed", status: "pending_exclusive" } as const),
      artefact_id: goal.id,
    };
    const again = openClaim({}, over, [retrying("linter", "exclusive", fake, 4)]);
    const claims = reading("failed", [again], [goal, failure]);
    const report = drawn(
      [{ ...claims, status: { ...claims.status, failures: [failure.id] } }],
      situation([]),
      0,
      70,
    );
    expect(report.slice(-9)).toEqual([
      "          Broken by `linter`:",
      `            │ ${"x".repeat(40)} → sett approve`,
      "            │ 12345678",
      "            → sett unearth 24905b02",
      "          claim 1a2b3c4d on GoalDefined  exclusive ↻linter",
      "            waits for the next attempt of `linter`, due in 4s (attempt",
      "            1 failed)",
      `              │ ${"x".repeat(40)} → sett`,
      "              │ approve 12345678",
    ]);
  });

  test("is broken between words on a terminal of 80 columns", () => {
    const summary = "Write about the door, and say which of the doors of the house is meant by it";
    const stated = sampleArtefact({
      id: id("9f3a12b4"),
      created_at: ago(180),
      metadata: { summary },
    });
    expect(drawn([reading("stalled", [], [stated])], situation([]), 0, 74).slice(-5)).toEqual([
      "9f3a12b4  stalled    3m    │ Write about the door, and say which of the",
      "                           │ doors of the house is meant by it",
      "          No agent worked on it: no agent bid anything other than",
      "          `ignore`.",
      "            → sett watch --no-follow --goal 9f3a12b4",
    ]);
  });

  test("that waits for a person says what to type, on a line of its own", () => {
    const waiting = openClaim({ ada: "review" }, { bidding: "closed", status: "pending_review" }, [
      waitingForApproval("ada"),
    ]);
    const around = situation([], {
      suggest: suggestFor("demo"),
      agents: [sampleAgent("ada", { human: true })],
    });
    const about = waiting.claim.artefact_id.slice(0, 8);
    expect(drawn([reading("waiting", [waiting])], around, 0, 80).slice(-2)).toEqual([
      `            waits for \`ada\` to approve or reject ${about}, 1m`,
      `              → sett approve ${about} --name demo`,
    ]);
  });

  test("that stalled says why, and where to look", () => {
    const [why, next] = drawn([reading("stalled")]).slice(-2);
    expect(why).toContain("No agent worked on it");
    expect(next).toBe("            → sett watch --no-follow --goal 9f3a12b4");
  });

  test("that is not shown is counted", () => {
    expect(drawn([reading("settled")], situation([]), 3)).toContain(
      "… 3 older goals, all at rest: sett status --all",
    );
    expect(drawn([reading("settled")], situation([]), 1)).toContain(
      "… 1 older goal, at rest: sett status --all",
    );
    expect(drawn([]).at(-1)).toContain("sett forage");
  });
});

test("each agent has its last heartbeat; a silent agent and one that never sent a heartbeat read differently", () => {
  const statuses = new Map([
    [agentName("coder"), { at: nowMs, state: "working" as const, claim_id: claimId("1a2b3c4d") }],
    [agentName("tester"), { at: nowMs - 60_000, state: "idle" as const }],
  ]);
  expect(drawn([], situation(["coder", "linter", "tester"], { statuses })).slice(0, 6)).toEqual([
    "demo  orchestrator alive, epoch 3",
    "",
    "AGENT   ROLE    STATE    HEARTBEAT  CLAIM",
    "coder   coder   working  just now   1a2b3c4d",
    "linter  linter  unknown  never",
    "tester  tester  silent   1m ago",
  ]);
});

test("an agent that is at work is working, with its claim, before its next heartbeat says so", () => {
  const open = [openClaim({}, { id: claimId("11111111") }, [running("coder", "exclusive", 5)])];
  expect(drawn([], situation(["coder"], { open }))[3]).toBe(
    "coder  coder  working  2s ago     11111111",
  );
});

test("an agent whose workers are at work is working, with their claims, the longest first; a silent one is shown as silent", () => {
  const agents = [
    ...["crowd", "quiet"].map((name) =>
      sampleAgent(name, { replicas: 3, strategy: "fresh_per_call" }),
    ),
    ...["alone", "rests"].map((name) => sampleAgent(name, { strategy: "fresh_per_call" })),
  ];
  const grants = (names: string[], seconds: number) =>
    names.map((name) => running(name, "parallel", seconds));
  const open = [
    openClaim({}, { id: claimId("11111111") }, [
      ...grants(["crowd"], 5),
      done("alone", "parallel"),
    ]),
    openClaim({}, { id: claimId("22222222") }, grants(["alone", "crowd", "quiet"], 9)),
  ];
  const { statuses } = situation(["alone", "crowd", "rests"]);
  expect(drawn([], situation([], { agents, statuses, open })).slice(2, 7)).toEqual([
    "AGENT  ROLE   STATE                     HEARTBEAT  CLAIM",
    "crowd  crowd  working (2 of 3 workers)  2s ago     22222222 11111111",
    "quiet  quiet  unknown (1 of 3 workers)  never      22222222",
    "alone  alone  working                   2s ago     22222222",
    "rests  rests  idle                      2s ago",
  ]);
});

test("of an agent that takes part by hand no sign of life is expected", () => {
  const agents = [sampleAgent("ada", { role: "approver", external: true })];
  expect(drawn([], situation([], { agents })).slice(2, 4)).toEqual([
    "AGENT  ROLE      STATE     HEARTBEAT  CLAIM",
    "ada    approver  external  -",
  ]);
});

test("neither is one of a person", () => {
  const agents = [sampleAgent("ada", { role: "maintainer", human: true })];
  expect(drawn([], situation([], { agents }))[3]).toBe("ada    maintainer  person  -");
});

test("a pause is shown below the first line: since when, by whom, and how to go on", () => {
  const pause = { since: ago(65), by: "person:Ada Lovelace <ada@sett.invalid>" };
  expect(drawn([], situation([], { pause }))[1]).toBe(
    "paused for 1m by Ada Lovelace: no new work starts; to resume: sett resume",
  );
});

test("the first line says that no orchestrator is running, and where to look", () => {
  const leader = { holder: "one", epoch: 3, expiresInMs: 0 };
  expect(drawn([], situation([], { leader }))[0]).toBe(
    "demo  the orchestrator (one, epoch 3) is silent, last heard 5s ago; `sett up` starts it again, `sett logs orchestrator` may show why",
  );
});

test("while Redis refuses writes a missing heartbeat means nothing, and no restart is advised", () => {
  const leader = { holder: "one", epoch: 3, expiresInMs: 0 };
  const store = { problem: "Redis refuses writes: OOM.", usedBytes: 1, limitBytes: 1 };
  const [first, second] = drawn([], situation([], { leader, store }));
  expect(first).toBe(
    "demo  the orchestrator (one, epoch 3) is silent, last heard 5s ago; Redis stores no heartbeat while it refuses writes",
  );
  expect(second).toStartWith("Redis refuses writes: OOM. Nothing is lost");
});
