// A text that is longer than a variable may be, in several variables: NAME, NAME_2, NAME_3 and so
// on.

/** The unit is characters, of which none has more than 4 bytes. */
const pieceLength = 25_000;
const pieces = new RegExp(`[\\s\\S]{1,${pieceLength}}`, "gu");

export function inPieces(name: string, text: string): Record<string, string> {
  const all = text.match(pieces) ?? [""];
  return Object.fromEntries(all.map((piece, at) => [pieceName(name, at), piece]));
}

/** The variables with the whole texts of these names in place of their pieces. */
export function withWhole(
  variables: Readonly<Record<string, string | undefined>>,
  names: readonly string[],
): Record<string, string | undefined> {
  const whole: Record<string, string | undefined> = { ...variables };
  for (const name of names) {
    for (let at = 1; variables[pieceName(name, at)] !== undefined; at++) {
      whole[name] = `${whole[name] ?? ""}${variables[pieceName(name, at)]}`;
      delete whole[pieceName(name, at)];
    }
  }
  return whole;
}

function pieceName(name: string, at: number): string {
  return at === 0 ? name : `${name}_${at + 1}`;
}
