// The end of an attempt whose calls of tools wait for a person: the question about them.
import type { GrantResult } from "../../../lib/blackboard/port/grants.ts";
import { type AskedCall, callQuestion, callQuestionType } from "../../../lib/model/asked-call.ts";
import type { Claim } from "../../../lib/model/claim.ts";
import { LogicalId } from "../../../lib/model/ids.ts";
import { withoutUndefined } from "../../../lib/model/without-undefined.ts";

/**
 * In place of what the command says, of which nothing remains but its commit, where the next
 * attempt begins. `calls` are all of this attempt.
 */
export function askedResult(
  result: GrantResult,
  { artefact_id }: Pick<Claim, "artefact_id">,
  calls: readonly AskedCall[],
): GrantResult {
  const { id, metadata } = result.artefact;
  const { commit } = metadata;
  const base = result.outcome === "asked" ? result.base : commit;
  const { summary, payload } = callQuestion(calls);
  return {
    outcome: "asked",
    ...withoutUndefined({ output: result.output, stdin: result.stdin, base }),
    artefact: {
      ...result.artefact,
      ...{ logical_id: LogicalId.parse(id), version: 1, source_artefacts: [artefact_id] },
      ...{ structural_type: "Question", type: callQuestionType, payload },
      metadata: { ...withoutUndefined({ commit }), summary },
    },
  };
}
