// A call of a tool for which sett.yml wants a person's word: the question about it, in the words of
// the record, and the answer.
import { z } from "zod";
import type { Artefact } from "./artefact.ts";
import { AgentName, ArtefactId, ClaimId } from "./ids.ts";
import { parseJson } from "./json.ts";

/**
 * The type of the Question that the orchestrator makes of an attempt's end, where calls of the
 * attempt wait for a person. No agent may use it.
 */
export const callQuestionType = "ToolCallAsked";

/** A person reads all of a call, or it is not asked. */
export const maxArgumentsLength = 10_000;
/** One question shows so many calls. */
export const maxAskedCalls = 10;

/**
 * `arguments`: JSON text. `digest`: SHA-256 of server, tool and arguments, in hexadecimal, which
 * the call of a later attempt has too where it is the same. `allowed`: such a call passes, once;
 * `used`: it has. `answer`: the artefact of the person's answer; `words`: its text, of a refusal.
 */
export const AskedCall = z.object({
  id: z.uuid(),
  claim_id: ClaimId,
  agent: AgentName,
  attempt: z.int(),
  server: z.string(),
  tool: z.string(),
  arguments: z.string(),
  digest: z.string(),
  state: z.enum(["asked", "allowed", "refused", "used"]),
  answer: ArtefactId.optional(),
  words: z.string().optional(),
});
export type AskedCall = z.infer<typeof AskedCall>;

const CallPayload = z.object({ question: z.string(), calls: z.array(z.uuid()) });

type Named = Pick<Artefact, "structural_type" | "type">;

/** Its payload is the orchestrator's, since no agent may use its type. */
export function isCallQuestion({ structural_type, type }: Named): boolean {
  return structural_type === "Question" && type === callQuestionType;
}

/** The content of the question about these calls, all of one attempt. */
export function callQuestion(calls: readonly AskedCall[]): { summary: string; payload: string } {
  const [first] = calls;
  const what = calls.map(
    ({ server, tool, arguments: text }) =>
      `Call \`${tool}\` of the server \`${server}\` with these arguments:\n${text}`,
  );
  const once =
    calls.length === 1
      ? "With `yes` it may make this call, once, with exactly these arguments."
      : "With `yes` it may make each of these calls, once, with exactly these arguments.";
  const question = `${first?.agent} asks to do this:\n\n${what.join("\n\n")}\n\n${once} With \`no\`, and why, it goes on without.`;
  const names = [...new Set(calls.map(({ server, tool }) => `${tool} of ${server}`))];
  return {
    summary: `May ${first?.agent} call ${names.join(", ")}?`,
    payload: JSON.stringify({ question, calls: calls.map(({ id }) => id) }),
  };
}

/** The ids of the calls that this question is about, and its words for people. */
export function callPayload(payload: string): z.infer<typeof CallPayload> | undefined {
  return CallPayload.safeParse(parseJson(payload)).data;
}

/** `undefined`: it is neither. Only the bare word allows. */
export function wordOfAnswer(text: string): "yes" | "no" | undefined {
  if (/^yes[.!]?$/i.test(text.trim())) return "yes";
  return /^no\b/i.test(text.trim()) ? "no" : undefined;
}
