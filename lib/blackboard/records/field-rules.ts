// Says what each field of an artefact must be, to a person who has written one by hand.
import { StructuralType } from "../../model/artefact.ts";
import type { ArtefactFieldName } from "./artefact-field-names.ts";

const anId = "a UUID of version 4 in lower case, as /proc/sys/kernel/random/uuid has them";

const rules: Record<ArtefactFieldName, string> = {
  id: anId,
  logical_id: anId,
  version: "a whole number from 1 to 999999999",
  structural_type: `one of ${StructuralType.options.join(", ")}`,
  type: "text of 1 to 200 characters",
  payload: "text",
  source_artefacts: 'a JSON array of artefacts\' ids, such as ["9f3a12b4-…"], or []',
  produced_by_role: "text that is not empty",
  produced_by_agent: "an agent's name, or empty",
  created_at: "a time in UTC such as 2026-11-21T11:27:33.460Z",
  goal_id: "the id of a goal",
  claim_id: "the id of a claim, or empty",
  metadata: "a JSON object",
};

/** The rules of these keys in `metadata`; its other keys are free. */
const metadataRules: Record<string, string> = {
  summary: "text",
  commit: "the full name of a commit",
};

/**
 * It follows "is refused:", without a full stop. `path`: where in the artefact the fault lies.
 */
export function brokenRule([name, key]: readonly PropertyKey[]): string {
  if (name === "metadata" && key !== undefined && metadataRules[String(key)] !== undefined)
    return `\`${String(key)}\` in \`metadata\` must be ${metadataRules[String(key)]}`;
  const rule = rules[String(name) as ArtefactFieldName] as string | undefined;
  return rule === undefined ? "it is malformed" : `\`${String(name)}\` must be ${rule}`;
}

/** `type` is missing; `type` and `payload` are missing. */
export function missingFields(names: readonly string[]): string {
  const quoted = names.map((name) => `\`${name}\``);
  const list =
    quoted.length === 1
      ? quoted.join("")
      : `${quoted.slice(0, -1).join(", ")} and ${quoted.at(-1)}`;
  return `${list} ${names.length === 1 ? "is" : "are"} missing`;
}
