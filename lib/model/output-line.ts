// A line of an agent's log that has what its command is printing, as it comes. The log is in the
// container's, which the command cannot write to.
import { z } from "zod";
import { parseJson } from "./json.ts";
import { streamNames } from "./kept-output.ts";

/** The `msg` of such a line. */
export const outputMessage = "Output";

/** `text`: a part of the stream, which may end within a line. */
export const OutputLine = z.object({
  msg: z.literal(outputMessage),
  time: z.string(),
  agent: z.string(),
  goal_id: z.string(),
  claim_id: z.string(),
  attempt: z.number(),
  stream: z.enum(streamNames),
  text: z.string(),
});
export type OutputLine = z.infer<typeof OutputLine>;

/** Cheap, because logs have many lines; a line of another kind may have the words in it. */
export function mayBeOutput(line: string): boolean {
  return line.includes(`"msg":"${outputMessage}"`);
}

/** Undefined for any other line. */
export function readOutputLine(line: string): OutputLine | undefined {
  if (!mayBeOutput(line)) return undefined;
  return OutputLine.safeParse(parseJson(line)).data;
}
