import { expect, test } from "bun:test";
import { ClaimCache } from "../../../../apps/orchestrator/claim-cache.ts";
import type { Grant } from "../../../../lib/model/claim.ts";
import type { EventType, SettEvent } from "../../../../lib/model/event.ts";
import { agentName, newArtefactId, sampleArtefact, sampleClaim } from "../../../support/records/sample.ts";

const coder = agentName("coder");
const at = "2026-01-01T00:00:00.000Z";

function scene() {
  const claim = { ...sampleClaim(sampleArtefact(), [coder]), bidding: "closed" as const };
  const grant: Grant = { agent: coder, phase: "exclusive", attempt: 1, queued_at: at, state: "queued" };
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
  const cache = new ClaimCache({ connectionNumber: () => contact.number });
  return { cache, contact, granted: { claim, grants: [grant] }, event };
}

test("a claim is known as its agents' events have left it", () => {
  const { cache, granted, event } = scene();
  cache.put(granted, 1);
  cache.apply(event("grant_started"));
  cache.apply(event("grant_done"));
  const known = cache.get(granted.claim.id);
  expect(known?.grants[0]?.state).toBe("done");
  expect(known?.claim.rev).toBe(granted.claim.rev + 2);
});

test("a claim is read again when the log had more events of it before its own commit was answered", () => {
  const { cache, granted, event } = scene();
  cache.apply(event("grant_started"));
  cache.put(granted, 1);
  expect(cache.get(granted.claim.id)).toBeUndefined();
  cache.put(granted, 1);
  expect(cache.get(granted.claim.id)).toBeDefined();
});

test("a claim that an event does not fit is read again", () => {
  const { cache, granted, event } = scene();
  cache.put(granted, 1);
  cache.apply(event("grant_done"));
  expect(cache.get(granted.claim.id)).toBeUndefined();
  cache.put(granted, 1);
  expect(cache.get(granted.claim.id)).toBeUndefined();
});

test("after a loss of contact no claim is known, and none that was read before it is kept", () => {
  const { cache, contact, granted, event } = scene();
  cache.put(granted, 1);
  contact.number = 2;
  expect(cache.get(granted.claim.id)).toBeUndefined();
  cache.put(granted, 1);
  expect(cache.get(granted.claim.id)).toBeUndefined();
  cache.put(granted, 2);
  cache.apply(event("grant_started"));
  expect(cache.get(granted.claim.id)?.grants[0]?.state).toBe("running");
});
