// What a tool has printed for a terminal, as text: of a line that it has written over, as a
// progress bar is, the last writing, and nothing of what a terminal obeys and does not show.

/** The lines as a terminal would show them at last. */
export function shownLines(text: string): string {
  return withoutSilent(text)
    .replaceAll("\r\n", "\n")
    .split("\n")
    .map((line) => (line.includes("\r") ? lastOf(line) : line))
    .join("\n");
}

/** A carriage return at the end has not been written over yet. */
export function lastWriting(line: string): string {
  return withoutSilent(lastOf(line));
}

function lastOf(line: string): string {
  return line.split("\r").findLast((writing) => writing !== "") ?? "";
}

/**
 * Takes away titles of windows, targets of links and choices of a character set. Only what a
 * command prints is read so: in an artefact a title could hide words from those who approve it.
 */
export function withoutSilent(text: string): string {
  return text.includes("\u001b") ? text.replace(silent, "") : text;
}

/** A string for the terminal is one where it ends in its line; else its marks stay. */
const silent = new RegExp(
  [
    "\\u001b[\\]PX^_][^\\u0007\\u001b\\n]*(?:\\u0007|\\u001b\\\\)",
    "\\u001b[ -/]+[0-~]",
    "\\u001b[0-OQ-WYZ\\\\`-~]",
  ].join("|"),
  "g",
);

/** Takes away colours and movements of the cursor, without a mark. */
export function withoutEscapes(text: string): string {
  return text.replace(escapes, "");
}

/** Colours and movements of the cursor. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for the escape character.
export const escapes = /\u001b\[[0-?]*[ -/]*[@-~]/g;
