// The type of an artefact within a line of Sett's own words.
import { boundedLine } from "./plain-text.ts";

/** Columns of a type that is no word: on a terminal of 80 it fits into the row that it is in. */
const maxColumns = 40;
const word = /^[\p{L}\p{M}\p{N}_.:/+#-]+$/u;

/**
 * A type is a word that its agent chooses. One that is more than a word is in quotation marks, cut,
 * and does not break between words: the rest of it would begin a row of its own, and look like a
 * line of Sett's.
 */
export function typeText(type: string): string {
  if (type === "" || word.test(type)) return type;
  return `“${boundedLine(type, maxColumns).replaceAll(" ", "\u00a0")}”`;
}
