// Text that is too long loses its middle, and says so: the beginning and the end of an output
// matter most.

/**
 * `text` itself, or its first and last characters, `maxLength` together, with a notice between
 * them.
 */
export function cutMiddle(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const headLength = Math.ceil(maxLength / 2);
  const head = text.slice(0, headLength).toWellFormed();
  const tail = text.slice(text.length - (maxLength - headLength)).toWellFormed();
  return `${head}\n[… ${text.length - maxLength} characters are left out here …]\n${tail}`;
}
