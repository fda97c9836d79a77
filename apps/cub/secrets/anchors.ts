// Says in one pass which of many encoded values may be in some bytes, so that looking for many
// costs no more than for one.
//
// Eight neighbouring letters and digits of a value are its anchor, or four. The pass leaves out
// what may break an encoded value, such as line breaks and the `%` of URLs, and looks up all that
// then follow each other.

const half = 4;
/** Small enough for the fastest memory of a processor. */
const tableBits = 13;
const space = 0x20;
const percent = 0x25;
const colon = 0x3a;
const backslash = 0x5c;

/** These may follow a backslash: `\n`, `\r`, `\t`, `\x`. */
const isEscaped = Uint8Array.from({ length: 256 }, (_, byte) =>
  /[nrtx]/.test(String.fromCharCode(byte)) ? 1 : 0,
);

/** `before`: undefined for an anchor of four. */
type Anchor<Value> = { before: number | undefined; value: Value };

export class Anchors<Value> {
  /** Whether an anchor may end in four bytes, by their hash. */
  readonly #table = new Uint8Array(1 << tableBits);
  readonly #anchors = new Map<number, Anchor<Value>[]>();

  /** False where `symbols` have no anchor, and so must be looked for without. */
  add(symbols: string, value: Value): boolean {
    // The first of them is left out: it may follow a backslash.
    const [, eight] = /[A-Za-z0-9]([A-Za-z0-9]{8})/.exec(symbols) ?? [];
    const [, four] = /[A-Za-z0-9]([A-Za-z0-9]{4})/.exec(symbols) ?? [];
    const last = eight?.slice(half) ?? four;
    if (last === undefined) return false;
    const key = keyOf(last);
    const before = eight === undefined ? undefined : keyOf(eight.slice(0, half));
    this.#table[hashOf(key)] = 1;
    this.#anchors.set(key, [...(this.#anchors.get(key) ?? []), { before, value }]);
    return true;
  }

  in(bytes: Uint8Array): Set<Value> {
    const found = new Set<Value>();
    if (this.#anchors.size === 0) return found;
    const table = this.#table;
    const { length } = bytes;
    let before = 0;
    let key = 0;
    for (let at = 0; at < length; at += 1) {
      const byte = bytes[at] ?? 0;
      if (byte > space && byte !== colon && byte !== percent && byte !== backslash) {
        before = (before << 8) | (key >>> 24);
        key = (key << 8) | byte;
        if (table[hashOf(key)] === 1) this.#collect(key, before, found);
      } else if (byte === backslash && isEscaped[bytes[at + 1] ?? 0] === 1) at += 1;
    }
    return found;
  }

  #collect(key: number, before: number, found: Set<Value>): void {
    for (const anchor of this.#anchors.get(key) ?? [])
      if (anchor.before === undefined || anchor.before === before) found.add(anchor.value);
  }
}

function keyOf(four: string): number {
  return [...four].reduce((key, character) => (key << 8) | character.charCodeAt(0), 0);
}

function hashOf(key: number): number {
  return Math.imul(key, 0x9e3779b1) >>> (32 - tableBits);
}
