// The names of files in what git writes: some are in quotes, and those of the first line are not
// apart. Pure.

const escapes: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 };

/**
 * The name in `--- a/NAME`, `rename from NAME`, without `prefix`. After a name with a space git
 * writes a tab.
 */
export function nameAfter(prefix: string, written: string): string {
  const name = unquoted(written.replace(/\t$/, ""));
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

/**
 * The name in `a/NAME b/NAME`. Both are the same wherever it is needed: git says apart from what to
 * what a file is renamed. So it is the half of it, whatever is in the name.
 */
export function nameOfHead(names: string): string {
  const half = (names.length - 1) / 2;
  const [before, after] = [names.slice(0, half), names.slice(half + 1)].map(unquoted);
  if (before === undefined || after === undefined || names[half] !== " ") return names;
  return before.startsWith("a/") && after.startsWith("b/") && before.slice(2) === after.slice(2)
    ? after.slice(2)
    : names;
}

/**
 * A name that is not UTF-8, or has what looks like something else, stays as git writes it: two such
 * names must not look the same.
 */
function unquoted(written: string): string {
  const quoted = /^"(.*)"$/s.exec(written)?.[1];
  if (quoted === undefined) return written;
  const encoder = new TextEncoder();
  const bytes = [...quoted.matchAll(/\\([0-7]{3})|\\(.)|[^\\]+/gsu)].flatMap(
    ([text, octal, letter]) => {
      if (octal !== undefined) return [Number.parseInt(octal, 8)];
      if (letter !== undefined) return [escapes[letter] ?? letter.charCodeAt(0)];
      return [...encoder.encode(text)];
    },
  );
  try {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    const name = decoder.decode(new Uint8Array(bytes));
    return name === name.normalize() && !/(?! )[\p{Zs}\u2800]/u.test(name) ? name : written;
  } catch {
    return written;
  }
}
