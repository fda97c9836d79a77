// What the log tells of a tool: its command and what it wrote, each shortened.
import { shortenedOutput, type ToolEnd } from "../../lib/core/failure-report.ts";

const maxCommandLength = 200;

/** Of each end of an output; together they stay below what the log cuts. */
const keptBytes = 900;

/** As it would be typed, more or less: for people, not for a shell. */
export function commandText(command: readonly string[]): string {
  const text = command.map((word) => (/^[\w%+,./:=@-]+$/.test(word) ? word : JSON.stringify(word))).join(" ");
  return text.length <= maxCommandLength ? text : `${text.slice(0, maxCommandLength - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

export function outputText(bytes: ToolEnd["stdout"]): string {
  return shortenedOutput(bytes, keptBytes);
}
