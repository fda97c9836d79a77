// The question in place of what a command says whose calls of tools wait for a person.
import { expect, test } from "bun:test";
import { askedResult } from "../../../../../apps/orchestrator/mail/asked-result.ts";
import type { AskedCall } from "../../../../../lib/model/asked-call.ts";
import { CommitHash } from "../../../../../lib/model/ids.ts";
import {
  agentName,
  newArtefactId,
  newClaimId,
  sampleArtefact,
} from "../../../../support/records/sample.ts";

const claim = { artefact_id: newArtefactId() };
const call: AskedCall = {
  ...{ id: crypto.randomUUID(), claim_id: newClaimId(), agent: agentName("coder"), attempt: 1 },
  ...{ server: "issues", tool: "create", arguments: "{}", digest: "d", state: "asked" },
};
const commit = CommitHash.parse("a".repeat(40));

test("what was committed is where the next attempt begins, and nothing else of the result is left", () => {
  const metadata = { commit, summary: "Its words", changed_paths: ["a"], more: "words" };
  const artefact = sampleArtefact({ type: "CodeCommit", version: 3, payload: commit, metadata });
  const done = askedResult({ outcome: "done", artefact, pieces: [artefact] }, claim, [call]);
  expect(done).toEqual({
    outcome: "asked",
    base: commit,
    artefact: {
      ...artefact,
      ...{ logical_id: String(artefact.id), version: 1, source_artefacts: [claim.artefact_id] },
      ...{ structural_type: "Question", type: "ToolCallAsked", payload: expect.any(String) },
      metadata: { commit, summary: "May coder call create of issues?" },
    } as never,
  });
  const question = askedResult({ outcome: "asked", artefact, base: commit }, claim, [call]);
  expect(question).toMatchObject({ outcome: "asked", base: commit });
  const failure = sampleArtefact({ structural_type: "Failure", type: "ToolExecutionFailure" });
  const failed = askedResult({ outcome: "failed", artefact: failure, reason: "It" }, claim, [call]);
  expect(failed).not.toHaveProperty("base");
  expect(failed).not.toHaveProperty("reason");
});
