// Text that others have sent, without what could move a cursor, turn the direction of text, or hide
// something from people.
import { unseen } from "../core/unseen.ts";

export function plainLine(text: string): string {
  return text.toWellFormed().replace(/\s+/g, " ").replace(unseen, "").trim();
}

export function plainText(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?|\u2028|\u2029/g, "\n")
    .replace(unseen, "");
}

const maxLength = 300;

/** One line for the record. */
export function shortLine(text: string): string {
  const line = plainLine(text);
  if (line.length <= maxLength) return line;
  return `${line.slice(0, maxLength - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}
