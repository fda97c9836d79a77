// Which line of `entries` has a digest. It has 37 bytes for each digest, and up to 11 to find it:
// a map of JavaScript would have four times as many. Pure.
import { Buffer } from "node:buffer";
import { getRandomValues } from "node:crypto";

const digestBytes = 32;
/** The digest, its line, and whether it was found. */
const rowBytes = digestBytes + 4 + 1;
const partRows = 2 ** 15;
const lineAt = digestBytes;
const foundAt = digestBytes + 4;

export class DigestTable {
  readonly #parts: Buffer[] = [];
  #rows = 0;
  #found = 0;
  /** Rows, from 1, at the place that the digest chooses, or the next free one. */
  #slots = new Uint32Array(2 ** 10);
  /** They are chosen by chance, so that no bundle can have digests that all begin at one place. */
  readonly #factors = getRandomValues(new Uint32Array(digestBytes / 4));

  /** How many digests were not found yet. */
  get left(): number {
    return this.#rows - this.#found;
  }

  /** `hex`: the digest. Where several lines have one digest, the first is meant. */
  add(hex: string, line: number): void {
    if (this.#parts.length * partRows === this.#rows)
      this.#parts.push(Buffer.alloc(partRows * rowBytes));
    const { part, at } = this.#placeOf(this.#rows);
    part.write(hex, at, "hex");
    part.writeUInt32LE(line, at + lineAt);
    part[at + foundAt] = 0;
    const slot = this.#slotOf(part, at);
    if (this.#slots[slot] !== 0) return;
    this.#rows += 1;
    this.#slots[slot] = this.#rows;
    if (this.#rows * 4 > this.#slots.length * 3) this.#grow();
  }

  /** Its line; undefined where no line has it. */
  find(digest: Buffer): number | undefined {
    const row = this.#slots[this.#slotOf(digest, 0)] ?? 0;
    if (row === 0) return undefined;
    const { part, at } = this.#placeOf(row - 1);
    if (part[at + foundAt] === 0) this.#found += 1;
    part[at + foundAt] = 1;
    return part.readUInt32LE(at + lineAt);
  }

  /** Whether `find` has found it. */
  wasFound(hex: string): boolean {
    const row = this.#slots[this.#slotOf(Buffer.from(hex, "hex"), 0)] ?? 0;
    if (row === 0) return false;
    const { part, at } = this.#placeOf(row - 1);
    return part[at + foundAt] === 1;
  }

  #placeOf(row: number): { part: Buffer; at: number } {
    const part = this.#parts[Math.floor(row / partRows)];
    if (part === undefined) throw new RangeError(`There is no row ${row}.`);
    return { part, at: (row % partRows) * rowBytes };
  }

  /** The slot that has this digest, or the free one for it. */
  #slotOf(bytes: Buffer, from: number): number {
    const last = this.#slots.length - 1;
    let slot = this.#sumOf(bytes, from) >>> Math.clz32(last);
    for (;;) {
      const row = this.#slots[slot] ?? 0;
      if (row === 0) return slot;
      const { part, at } = this.#placeOf(row - 1);
      if (isSame(part, at, { bytes, from })) return slot;
      slot = slot === last ? 0 : slot + 1;
    }
  }

  #sumOf(bytes: Buffer, from: number): number {
    let sum = 0;
    for (let word = 0; word < this.#factors.length; word++)
      sum += Math.imul(wordAt(bytes, from + word * 4), this.#factors[word] ?? 0);
    return sum >>> 0;
  }

  #grow(): void {
    this.#slots = new Uint32Array(this.#slots.length * 2);
    for (let row = 0; row < this.#rows; row++) {
      const { part, at } = this.#placeOf(row);
      this.#slots[this.#slotOf(part, at)] = row + 1;
    }
  }
}

function isSame(
  part: Buffer,
  at: number,
  { bytes, from }: { bytes: Buffer; from: number },
): boolean {
  for (let word = 0; word < digestBytes; word += 4)
    if (wordAt(part, at + word) !== wordAt(bytes, from + word)) return false;
  return true;
}

function wordAt(bytes: Buffer, at: number): number {
  return (
    ((bytes[at] ?? 0) << 24) |
    ((bytes[at + 1] ?? 0) << 16) |
    ((bytes[at + 2] ?? 0) << 8) |
    (bytes[at + 3] ?? 0)
  );
}
