// Why a claim does not move, in a sentence with the time.
import { describe, expect, test } from "bun:test";
import { blockedReasonOf, type Situation } from "../../../../../lib/client/facts/blocked-reason.ts";
import {
  orchestratorProblem,
  waitingBrief,
  waitingText,
} from "../../../../../lib/client/render/waiting-text.ts";
import { createStyle } from "../../../../../lib/client/text/style.ts";
import { type Waiting, waitedForBy } from "../../../../../lib/core/goal-status.ts";
import type { ClaimSnapshot } from "../../../../../lib/model/claim.ts";
import {
  ago,
  claimId,
  done,
  nowMs,
  openClaim,
  queued,
  retrying,
  running,
  situation,
  waitingForAnswer,
  waitingForApproval,
} from "../../../../support/claims/sample-claims.ts";
import { agentName, newArtefactId, sampleAgent } from "../../../../support/records/sample.ts";

const [tester, coder] = [agentName("tester"), agentName("coder")];
const closed = { bidding: "closed", status: "pending_exclusive" } as const;
const lone = { leader: undefined };
const lastHeard = (name: string, seconds: number): Partial<Situation> => ({
  statuses: new Map([[agentName(name), { at: nowMs - seconds * 1_000, state: "idle" }]]),
});

const sentences = (snapshot: ClaimSnapshot, around: Situation) =>
  waitedForBy(snapshot).map((waiting) => waitingText(waiting, around));
const briefs = (snapshot: ClaimSnapshot, around: Situation) =>
  waitedForBy(snapshot).map((waiting) => waitingBrief(waiting, around, createStyle(false)));

describe("a claim in bidding", () => {
  const snapshot = openClaim({ coder: "exclusive", tester: undefined });

  test("waits for each bid that is missing, and says when that agent's last heartbeat came", () => {
    const around = situation(["coder", "tester"]);
    expect(sentences(snapshot, around)).toEqual([
      "the bid of `tester`, 1m: it is idle, last heard 2s ago",
    ]);
    expect(briefs(snapshot, around)).toEqual(["tester to bid 1m"]);
  });

  test("names an agent that is silent, has sent no heartbeat yet, or is no longer registered", () => {
    const silent = situation(["coder", "tester"], lastHeard("tester", 240));
    expect(sentences(snapshot, silent)).toEqual([
      "the bid of `tester`, 1m: it is silent (last heard 4m ago): `sett up` starts it again, `sett logs tester` may show why",
    ]);
    expect(briefs(snapshot, silent)).toEqual(["tester silent 4m"]);
    const never = situation(["coder", "tester"], { statuses: new Map() });
    expect(sentences(snapshot, never)).toEqual([
      "the bid of `tester`, 1m: it has never sent a heartbeat: `sett up` starts it again, `sett logs tester` may show why",
    ]);
    expect(briefs(snapshot, never)).toEqual(["tester never heard"]);
    const gone = situation(["coder"]);
    expect(sentences(snapshot, gone)[0]).toContain("no longer registered");
    expect(briefs(snapshot, gone)).toEqual(["tester not registered"]);
  });

  test("does not send for an agent that is silent because Redis refuses writes", () => {
    const store = { problem: "Redis refuses writes: OOM.", usedBytes: 1, limitBytes: 1 };
    const silent = situation(["coder", "tester"], { ...lastHeard("tester", 240), store });
    expect(sentences(snapshot, silent)).toEqual([
      "the bid of `tester`, 1m: it is silent (last heard 4m ago): Redis stores no heartbeat while it refuses writes",
    ]);
  });

  test("is silent only after three heartbeats", () => {
    const [waiting] = waitedForBy(snapshot);
    const reason = (seconds: number) =>
      waiting &&
      blockedReasonOf(waiting, situation(["tester"], lastHeard("tester", seconds)))?.reason;
    expect([10, 10.001].map(reason)).toEqual(["alive", "silent"]);
  });

  test("waits for an agent that takes part by hand, and expects no heartbeat of it", () => {
    const around = situation(["coder"], {
      agents: [sampleAgent("coder"), sampleAgent("tester", { external: true })],
    });
    expect(sentences(snapshot, around)).toEqual(["the bid of `tester`, 1m: it takes part by hand"]);
    expect(briefs(snapshot, around)).toEqual(["tester to bid 1m"]);
  });

  test("waits for the orchestrator once everybody has bid", () => {
    const all = openClaim({ coder: "exclusive" });
    expect(sentences(all, situation(["coder"]))).toEqual(["the orchestrator to go on with it, 1m"]);
    expect(sentences(all, situation(["coder"], lone))).toEqual([
      "the orchestrator to go on with it, 1m: no orchestrator is active",
    ]);
  });
});

describe("a claim that is granted", () => {
  const snapshot = openClaim({ coder: "exclusive" }, closed, [queued("coder", "exclusive", 12)]);
  const other = (seconds: number, digits: string, agent = "coder") =>
    openClaim({ [agent]: "exclusive" }, { ...closed, id: claimId(digits) }, [
      running(agent, "exclusive", seconds),
    ]);

  test("waits for an agent to start, and says which claim it is at work on", () => {
    const busy = situation(["coder"], { open: [snapshot, other(180, "99999999")] });
    expect(sentences(snapshot, busy)).toEqual([
      "`coder` to start, 12s: it has worked on claim 99999999 for 3m",
    ]);
    expect(briefs(snapshot, busy)).toEqual(["coder busy elsewhere 12s"]);
    const idle = situation(["coder"], { open: [snapshot] });
    expect(sentences(snapshot, idle)).toEqual([
      "`coder` to start, 12s: it is idle, last heard 2s ago",
    ]);
  });

  test("waits for the secrets of an agent, or of the one whose workers do its work", () => {
    const statuses = new Map([[agentName("coder"), { at: nowMs, state: "no_secrets" as const }]]);
    const workers = { agents: [sampleAgent("coder", { strategy: "fresh_per_call" })] };
    for (const around of [
      situation(["coder"], { statuses }),
      situation(["coder"], { statuses, ...workers }),
    ]) {
      expect(sentences(snapshot, around)).toEqual([
        "`coder` to start, 12s: its secrets are missing, which `sett up` brings",
      ]);
      expect(briefs(snapshot, around)).toEqual(["coder without its secrets"]);
    }
  });

  test("is not delayed by an agent that may work on more claims at a time", () => {
    const replicas = {
      agents: [sampleAgent("coder", { replicas: 2, strategy: "fresh_per_call" })],
    };
    const one = situation(["coder"], { ...replicas, open: [snapshot, other(180, "99999999")] });
    expect(sentences(snapshot, one)).toEqual([
      "`coder` to start, 12s: a worker has to start for it",
    ]);
    const two = situation(["coder"], {
      ...replicas,
      open: [snapshot, other(60, "99999999"), other(180, "88888888")],
    });
    expect(sentences(snapshot, two)).toEqual([
      "`coder` to start, 12s: it has worked on 2 other claims for 3m",
    ]);
  });

  test("waits for a place where all agents together have as many workers as they may", () => {
    const full = situation(["coder"], {
      agents: [
        sampleAgent("coder", { on_demand: true, instance_workers: 1 }),
        sampleAgent("tester", { strategy: "fresh_per_call", instance_workers: 1 }),
      ],
      open: [snapshot, other(60, "99999999", "tester")],
    });
    expect(sentences(snapshot, full)).toEqual([
      "`coder` to start, 12s: all agents together have as many workers as they may (1)",
    ]);
  });

  test("names an agent that died at work before what it was at work on", () => {
    const dead = situation(["coder"], {
      ...lastHeard("coder", 60),
      open: [snapshot, other(180, "99999999")],
    });
    expect(sentences(snapshot, dead)[0]).toStartWith(
      "`coder` to start, 12s: it is silent (last heard 1m ago)",
    );
  });

  test("says how long an agent has been at work, and since when it is silent", () => {
    const working = openClaim({ coder: "exclusive" }, closed, [running("coder", "exclusive", 180)]);
    expect(sentences(working, situation(["coder"]))).toEqual(["`coder`, at work for 3m"]);
    expect(briefs(working, situation(["coder"]))).toEqual(["coder at work 3m"]);
    const silent = situation(["coder"], lastHeard("coder", 20));
    expect(sentences(working, silent)[0]).toStartWith(
      "`coder`, at work for 3m: it is silent (last heard 20s ago)",
    );
    const begun = openClaim({ coder: "exclusive" }, closed, [running("coder", "exclusive", 0)]);
    expect(sentences(begun, situation(["coder"]))).toEqual(["`coder`, at work for 0s"]);
  });

  test("says when the next attempt begins, and why the last one failed", () => {
    const failed = openClaim({ tester: "claim" }, closed, [
      retrying("tester", "parallel", "exit\ncode 3", 4),
    ]);
    const sentence = "the next attempt of `tester`, due in 4s (attempt 1 failed: exit code 3)";
    expect(sentences(failed, situation(["tester"]))).toEqual([sentence]);
    expect(sentences(failed, situation(["tester"], lone))).toEqual([
      `${sentence}: no orchestrator is active`,
    ]);
    expect(briefs(failed, situation(["tester"]))).toEqual(["tester again in 4s"]);
    const whole = openClaim({ tester: "claim" }, closed, [
      retrying("tester", "parallel", "The command ended.", 4),
    ]);
    expect(sentences(whole, situation(["tester"]))[0]).toEndWith("failed: The command ended)");
    const due = openClaim({ tester: "claim" }, closed, [retrying("tester", "parallel", "", -1)]);
    expect(briefs(due, situation(["tester"]))).toEqual(["tester again now"]);
  });

  test("waits for the orchestrator once all its grants are done, since the last of them", () => {
    const over = openClaim({ coder: "exclusive" }, closed, [done("coder", "exclusive")]);
    expect(sentences(over, situation(["coder"]))).toEqual([
      "the orchestrator to go on with it, 30s",
    ]);
  });

  test("waits for the end of a pause, whatever else is wrong; agents at work go on", () => {
    const pause = { since: ago(20), by: "person:Ada" };
    const paused = situation(["coder"], { ...lastHeard("coder", 60), pause });
    expect(sentences(snapshot, paused)).toEqual(["`coder` to start, 12s: the instance is paused"]);
    expect(briefs(snapshot, paused)).toEqual(["coder to start, paused"]);
    const over = openClaim({ coder: "exclusive" }, closed, [done("coder", "exclusive")]);
    expect(sentences(over, paused)).toEqual([
      "the orchestrator to go on with it, 30s: the instance is paused",
    ]);
    expect(briefs(over, paused)).toEqual(["paused"]);
    const failed = openClaim({ tester: "claim" }, closed, [
      retrying("tester", "parallel", "exit code 3", 4),
    ]);
    expect(sentences(failed, paused)[0]).toEndWith("failed: exit code 3): the instance is paused");
    const working = openClaim({ coder: "exclusive" }, closed, [running("coder", "exclusive", 180)]);
    expect(sentences(working, situation(["coder"], { pause }))).toEqual([
      "`coder`, at work for 3m",
    ]);
    const [first] = waitedForBy(over);
    expect(first && blockedReasonOf(first, paused)).toEqual({ reason: "paused", ...pause });
  });

  test("waits for a person to judge", () => {
    const waiting = openClaim({ ada: "review" }, { ...closed, status: "pending_review" }, [
      waitingForApproval("ada"),
    ]);
    const about = waiting.claim.artefact_id.slice(0, 8);
    const around = situation([], { agents: [sampleAgent("ada", { human: true })] });
    expect(sentences(waiting, around)).toEqual([`\`ada\` to approve or reject ${about}, 1m`]);
    expect(briefs(waiting, around)).toEqual([`ada to approve ${about}`]);
  });

  test("waits for no orchestrator while an answer is waited for", () => {
    const asking = openClaim({ coder: "exclusive" }, closed, [
      waitingForAnswer("coder", "exclusive"),
    ]);
    expect(waitedForBy(asking)).toEqual([]);
  });
});

test("waiting outside of claims is shown as well: an artefact that has no claim yet, and a question", () => {
  const owed: Waiting = { kind: "claim", artefact: newArtefactId(), since: ago(3) };
  const sentence = `the orchestrator to open a claim on ${owed.artefact.slice(0, 8)}, 3s`;
  expect(waitingText(owed, situation([]))).toBe(sentence);
  expect(waitingText(owed, situation([], lone))).toBe(`${sentence}: no orchestrator is active`);
  expect(waitingText({ ...owed, pieces: 40 }, situation([]))).toBe(
    `all work on the 40 pieces of ${owed.artefact.slice(0, 8)} to end, 3s`,
  );
  const question: Waiting = { kind: "answer", question: newArtefactId(), since: ago(90) };
  expect(waitingText(question, situation([], lone))).toBe(
    `a person to answer question ${question.question.slice(0, 8)}, 1m`,
  );
});

test("no orchestrator leads once the leader lease has lapsed, or when none has acquired it", () => {
  const problemOf = (leader: Situation["leader"]) => orchestratorProblem({ leader });
  const leader = { holder: "one\n", epoch: 3 };
  expect(problemOf({ ...leader, expiresInMs: 1 })).toBeUndefined();
  expect(problemOf({ ...leader, expiresInMs: 0 })).toBe(
    "the orchestrator (one, epoch 3) is silent, last heard 5s ago",
  );
  expect(problemOf({ ...leader, expiresInMs: -60_000 })).toBe(
    "the orchestrator (one, epoch 3) is silent, last heard 1m ago",
  );
  expect(problemOf(undefined)).toBe("no orchestrator is running");
});

test("an agent that is waited for and lives has its reason as data", () => {
  const [waiting] = waitedForBy(openClaim({ coder: undefined, tester: "review" }));
  expect(waiting && blockedReasonOf(waiting, situation([tester, coder]))).toEqual({
    reason: "alive",
    state: "idle",
    last_heard: ago(2),
  });
});

describe("work whose workspace is being prepared", () => {
  const snapshot = openClaim({ coder: "exclusive" }, closed, [running("coder", "exclusive", 540)]);
  const noted = (seconds: number, files: number, of: number) => {
    const note = { claim: snapshot.claim.id, attempt: 1, at: nowMs - seconds * 1_000, files, of };
    const status = { at: nowMs, state: "working" as const, preparing: [note] };
    return situation(["coder"], { statuses: new Map([[coder, status]]) });
  };

  test("says how many files are there, and before that only what is done", () => {
    expect(sentences(snapshot, noted(2, 20_541, 100_000))).toEqual([
      "`coder`, which prepares its workspace: 20 541 of 100 000 files, at work for 9m",
    ]);
    expect(briefs(snapshot, noted(2, 20_541, 100_000))).toEqual(["coder prepares 20 % 9m"]);
    expect(sentences(snapshot, noted(2, 0, 0))).toEqual([
      "`coder`, which prepares its workspace, at work for 9m",
    ]);
    expect(briefs(snapshot, noted(2, 0, 0))).toEqual(["coder prepares 9m"]);
  });

  test("is at work when nothing has been said of its workspace for ten seconds", () => {
    expect(sentences(snapshot, noted(11, 20_541, 100_000))).toEqual(["`coder`, at work for 9m"]);
  });

  test("is said of a worker as well, which has no heartbeat of its own", () => {
    const around = noted(2, 1, 4);
    const agents = [sampleAgent("coder", { strategy: "fresh_per_call" })];
    expect(sentences(snapshot, { ...around, agents })).toEqual([
      "`coder`, which prepares its workspace: 1 of 4 files, at work for 9m",
    ]);
  });
});
