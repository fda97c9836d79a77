import { expect, test } from "bun:test";
import { KnownClaims } from "../../../../../apps/orchestrator/decide/known-claims.ts";
import {
  withEnd,
  withLater,
  withStart,
} from "../../../../../apps/orchestrator/decide/moved-claim.ts";
import type { Grant, RunningGrant } from "../../../../../lib/model/claim.ts";
import type { EventType, SettEvent } from "../../../../../lib/model/event.ts";
import {
  agentName,
  newArtefactId,
  sampleArtefact,
  sampleClaim,
} from "../../../../support/records/sample.ts";

const coder = agentName("coder");
const at = "2026-01-01T00:00:00.000Z";

function scene() {
  const claim = { ...sampleClaim(sampleArtefact(), [coder]), bidding: "closed" as const };
  const grant = {
    agent: coder,
    phase: "exclusive",
    attempt: 1,
    queued_at: at,
    state: "queued",
  } as const;
  const event = (type: EventType): SettEvent => ({
    type,
    id: "1-0",
    time: at,
    actor: "agent:coder",
    claim_id: claim.id,
    artefact_id: newArtefactId(),
    agent: coder,
    data: { phase: "exclusive", attempt: 1 },
  });
  const contact = { number: 1 };
  const known = new KnownClaims({ connectionNumber: () => contact.number });
  return { known, contact, granted: { claim, grants: [grant] as [typeof grant] }, event };
}

test("a claim is known as its agents' events have left it", () => {
  const { known, granted, event } = scene();
  known.put(granted, 1);
  known.apply(event("grant_started"));
  known.apply(event("grant_done"));
  const snapshot = known.get(granted.claim.id);
  expect(snapshot?.grants[0]?.state).toBe("done");
  expect(snapshot?.claim.rev).toBe(granted.claim.rev + 2);
});

test("a claim is read again when the log had more events of it before its own commit was answered", () => {
  const { known, granted, event } = scene();
  known.apply(event("grant_started"));
  known.put(granted, 1);
  expect(known.get(granted.claim.id)).toBeUndefined();
  known.put(granted, 1);
  expect(known.get(granted.claim.id)).toBeDefined();
});

test("a claim that an event does not fit is read again", () => {
  const { known, granted, event } = scene();
  known.put(granted, 1);
  known.apply(event("grant_done"));
  expect(known.get(granted.claim.id)).toBeUndefined();
  known.put(granted, 1);
  expect(known.get(granted.claim.id)).toBeUndefined();
});

test("after a loss of contact no claim is known, and none that was read before it is kept", () => {
  const { known, contact, granted, event } = scene();
  known.put(granted, 1);
  contact.number = 2;
  expect(known.get(granted.claim.id)).toBeUndefined();
  known.put(granted, 1);
  expect(known.get(granted.claim.id)).toBeUndefined();
  known.put(granted, 2);
  known.apply(event("grant_started"));
  expect(known.get(granted.claim.id)?.grants[0]?.state).toBe("running");
});

test("what this leader has put on record itself is known at once, and its events change nothing more", () => {
  const { known, granted, event } = scene();
  const running: RunningGrant = {
    ...granted.grants[0],
    state: "running",
    started_at: at,
    context_ids: [newArtefactId()],
  };
  known.put(granted, 1);
  known.start(granted.claim.id, running, 1);
  const started = known.get(granted.claim.id);
  expect(started).toEqual({
    claim: { ...granted.claim, rev: granted.claim.rev + 1 },
    grants: [running],
  });
  known.apply(event("grant_started"));
  expect(known.get(granted.claim.id)).toBe(started);
  const done = event("grant_done");
  const ended =
    started &&
    withEnd(started, {
      ...running,
      state: "done",
      ended_at: at,
      artefact_ids: [done.artefact_id],
    } as Grant);
  if (ended !== undefined) known.put(ended, 1);
  known.apply(done);
  expect(known.get(granted.claim.id)).toBe(ended);
  expect(ended?.claim.rev).toBe(granted.claim.rev + 2);
});

test("a start or an end that the claim does not wait for makes nothing of it", () => {
  const { known, granted } = scene();
  const running: RunningGrant = {
    ...granted.grants[0],
    state: "running",
    started_at: at,
    context_ids: [],
  };
  for (const other of [
    { attempt: 2 },
    { queued_at: "2026-02-01T00:00:00.000Z" },
    { agent: agentName("tester") },
  ])
    expect(withStart(granted, { ...running, ...other })).toBeUndefined();
  expect(
    withEnd(granted, { ...running, state: "done", ended_at: at, artefact_ids: [] }),
  ).toBeUndefined();
  known.put(granted, 1);
  known.start(granted.claim.id, { ...running, attempt: 2 }, 1);
  known.start(granted.claim.id, running, 2);
  expect(known.get(granted.claim.id)).toBe(granted);
});

test("what others have begun while a result was stored is in the claim that it leaves", () => {
  const [one, two, three] = [agentName("one"), agentName("two"), agentName("three")];
  const base = { phase: "parallel", attempt: 1, queued_at: at } as const;
  const queued = (agent: Grant["agent"]): Grant => ({ ...base, agent, state: "queued" });
  const running = (agent: Grant["agent"]): RunningGrant => ({
    ...base,
    ...{ agent, started_at: at, context_ids: [], state: "running" },
  });
  const done = (agent: Grant["agent"]): Grant => ({
    ...running(agent),
    state: "done",
    ended_at: at,
    artefact_ids: [],
  });
  const claim = {
    ...sampleClaim(sampleArtefact(), [one, two, three]),
    bidding: "closed" as const,
    rev: 7,
  };
  const known = { claim, grants: [running(one), queued(two), queued(three)] };
  const [, second, third] = known.grants as [Grant, Grant, Grant];
  const decided = { claim: { ...claim, rev: 8 }, grants: [done(one), second, third] };

  // The log may have shown the own result already.
  const current = { claim: { ...claim, rev: 9 }, grants: [done(one), running(two), third] };
  const together = withLater(decided, known, current, one);
  expect(together).toEqual({
    claim: { ...claim, rev: 9 },
    grants: [done(one), running(two), third],
  });

  // Another's end is decided about by itself, and with new bids nothing is known.
  expect(
    withLater(decided, known, { claim, grants: [known.grants[0] as Grant, done(two), third] }, one),
  ).toBeUndefined();
  expect(
    withLater(
      decided,
      known,
      { ...current, claim: { ...claim, bids: [{ agent: one, word: "claim" }] } },
      one,
    ),
  ).toBeUndefined();
  // This is what the decision has changed itself cannot have begun after it.
  const cancelled: Grant = {
    ...base,
    agent: two,
    state: "cancelled",
    ended_at: at,
    reason: "over",
  };
  expect(
    withLater({ ...decided, grants: [done(one), cancelled, third] }, known, current, one),
  ).toBeUndefined();
});

test("what was read after an event is known, although the event found nothing", () => {
  const { known, granted, event } = scene();
  known.apply(event("grant_started"));
  known.expectRead(granted.claim.id);
  known.put(granted, 1);
  expect(known.get(granted.claim.id)).toBeDefined();
});

test("a start whose event came before the answer to it is known whole", () => {
  const { known, granted, event } = scene();
  const running: RunningGrant = {
    ...granted.grants[0],
    state: "running",
    started_at: at,
    context_ids: [newArtefactId()],
  };
  known.put(granted, 1);
  known.apply(event("grant_started"));
  known.start(granted.claim.id, running, 1);
  expect(known.get(granted.claim.id)).toEqual({
    claim: { ...granted.claim, rev: granted.claim.rev + 1 },
    grants: [running],
  });
});

test("an ended claim stays ended, whatever the log shows later, until contact is lost", () => {
  const { known, contact, granted, event } = scene();
  const { id } = granted.claim;
  known.end(id, 1);
  known.apply(event("grant_done"));
  known.put(granted, 1);
  expect(known.hasEnded(id)).toBe(true);
  contact.number = 2;
  expect(known.hasEnded(id)).toBe(false);
  known.end(id, 1);
  expect(known.hasEnded(id)).toBe(false);
});
