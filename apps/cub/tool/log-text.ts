// A tool's command and its output as the log shows them: shortened.
import { shortenedOutput, type ToolEnd } from "../../../lib/core/failure-report.ts";

const maxCommandLength = 200;

/**
 * Each end of an output keeps so much. Both together stay below the length at which the log cuts a
 * field.
 */
const keptBytes = 900;

/** Roughly as a person would type it. It is not quoted for a shell. */
export function commandText(command: readonly string[]): string {
  const text = command
    .map((part) => (/^[\w%+,./:=@-]+$/.test(part) ? part : JSON.stringify(part)))
    .join(" ");
  return text.length <= maxCommandLength
    ? text
    : `${text.slice(0, maxCommandLength - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

export function outputText(bytes: ToolEnd["stdout"]): string {
  return shortenedOutput(bytes, keptBytes);
}
