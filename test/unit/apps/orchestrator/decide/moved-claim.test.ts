// What a leader knows of a claim by the log alone, such as of a result that the one before it has
// stored.
import { expect, test } from "bun:test";
import { withEvent } from "../../../../../apps/orchestrator/decide/moved-claim.ts";
import { type Grant, hasVerdict } from "../../../../../lib/model/claim.ts";
import type { SettEvent } from "../../../../../lib/model/event.ts";
import {
  agentName,
  newArtefactId,
  sampleArtefact,
  sampleClaim,
} from "../../../../support/records/sample.ts";

const at = "2026-01-31T12:00:00.000Z";

test.each([
  ["sends it back", { rejects: true }, true],
  ["does not", {}, false],
])("a result of work that is no review, and %s, is known so by its event", (_, data, isVerdict) => {
  const claim = sampleClaim(sampleArtefact(), ["checker"], { status: "pending_parallel" });
  const running: Grant = {
    ...{ agent: agentName("checker"), phase: "parallel", attempt: 1, queued_at: at },
    ...{ state: "running", started_at: at, context_ids: [] },
  };
  const event: SettEvent = {
    ...{ id: "1-0", type: "grant_done", time: at, actor: "agent:checker" },
    ...{ agent: running.agent, artefact_id: newArtefactId(), data: { attempt: 1, ...data } },
  };
  const [ended] = withEvent({ claim, grants: [running] }, event)?.grants ?? [];
  expect(ended).toMatchObject({ state: "done", artefact_ids: [event.artefact_id] });
  expect(ended !== undefined && hasVerdict(ended)).toBe(isVerdict);
});
