// The patterns of bid rules: plain text in which `*` matches any run of characters, also an empty
// one.

/**
 * True when the pattern matches the whole text. Case counts. No regular expression is built from
 * what people write.
 */
export function matchesPattern(pattern: string, text: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return text === pattern;
  if (!text.startsWith(first)) return false;
  let from = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, from);
    if (found === -1) return false;
    from = found + part.length;
  }
  return text.length - last.length >= from && text.endsWith(last);
}
