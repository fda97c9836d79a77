// The message of a merge onto a lane: which goal it is of, and from which artefact.
import type { ToolInput } from "../../../lib/model/tool-contract.ts";

const maxSubject = 72;

/** Words of agents and people are in it: of each only what can be seen, on one line. */
export function mergeMessage(
  { target_artefact: { id, goal_id, metadata, type } }: ToolInput,
  lane: string,
): string {
  const words = visible(metadata.summary ?? "") || `Merge a ${visible(type)}`;
  const subject = words.length > maxSubject ? `${words.slice(0, maxSubject - 1)}…` : words;
  return `${subject}\n\nSett-Lane: ${lane}\nSett-Goal: ${goal_id}\nSett-Artefact: ${id}\n`;
}

/** Without characters that control a terminal, or cannot be seen. */
export function visible(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Z}]+/gu, " ")
    .trim();
}
