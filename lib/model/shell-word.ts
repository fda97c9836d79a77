// A word of a command that a person types into a shell.

/** The text, with quotation marks where a shell would not take it for one word as it is. */
export function shellWord(text: string): string {
  return /^[\w./:@+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
