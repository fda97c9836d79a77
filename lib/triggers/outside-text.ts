// Text that others have sent, without what could move a cursor, turn the direction of text, or hide something from people.

/** Controls, marks of direction, characters without width, and private tags: nothing that a title needs. */
const hidden = /[\p{Cc}\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;
const hiddenInLines = /(?![\n\t])[\p{Cc}\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

export function plainLine(text: string): string {
  return text.toWellFormed().replace(/\s+/g, " ").replace(hidden, "").trim();
}

export function plainText(text: string): string {
  return text
    .toWellFormed()
    .replace(/\r\n?|\u2028|\u2029/g, "\n")
    .replace(hiddenInLines, "");
}
