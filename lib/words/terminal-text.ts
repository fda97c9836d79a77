// What a tool has printed for a terminal, as text: of a line that it has written over, as a
// progress bar is, the last writing.

/** The lines as a terminal would show them at last. */
export function shownLines(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .split("\n")
    .map((line) => (line.includes("\r") ? lastWriting(line) : line))
    .join("\n");
}

/** A carriage return at the end has not been written over yet. */
export function lastWriting(line: string): string {
  return line.split("\r").findLast((writing) => writing !== "") ?? "";
}

/** Takes away colours and movements of the cursor, without a mark. */
export function withoutEscapes(text: string): string {
  return text.replace(escapes, "");
}

/** Colours and movements of the cursor. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character is what is looked for.
export const escapes = /\u001b\[[0-?]*[ -/]*[@-~]/g;
