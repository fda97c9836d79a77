// Which objects a pack has: its index, a table of their names in order.
//
//   8 bytes         the signature and the version, 2
//   256 × 4 bytes   how many names begin with a byte of at most 0, 1, … 255
//   COUNT × 20      the names; 32 bytes each where the repository's hash is SHA-256
import { open } from "node:fs/promises";

const signature = 0xff_74_4f_63;
const [headBytes, fanoutBytes] = [8, 4 * 256];
const prefixBytes = 4;

export class PackIndex {
  readonly count: number;
  readonly #names: Buffer;
  readonly #fanout: Uint32Array;
  readonly #nameBytes: number;

  private constructor(names: Buffer, fanout: Uint32Array, nameBytes: number) {
    this.count = fanout[255] ?? 0;
    this.#names = names;
    this.#fanout = fanout;
    this.#nameBytes = nameBytes;
  }

  /** Undefined for what is no whole index of version 2, which git has written since 2008. */
  static async read(path: string, format: "sha1" | "sha256"): Promise<PackIndex | undefined> {
    await using file = await open(path);
    const head = Buffer.alloc(headBytes + fanoutBytes);
    const { bytesRead } = await file.read(head, 0, head.length, 0);
    const isKnown = head.readUInt32BE(0) === signature && head.readUInt32BE(4) === 2;
    if (bytesRead < head.length || !isKnown) return undefined;
    const fanout = Uint32Array.from({ length: 256 }, (_, at) =>
      head.readUInt32BE(headBytes + 4 * at),
    );
    const nameBytes = format === "sha256" ? 32 : 20;
    const length = (fanout[255] ?? 0) * nameBytes;
    if ((await file.stat()).size < head.length + length) return undefined;
    const names = Buffer.allocUnsafe(length);
    for (let at = 0; at < length; ) {
      const read = await file.read(names, at, length - at, head.length + at);
      if (read.bytesRead === 0) return undefined;
      at += read.bytesRead;
    }
    return new PackIndex(names, fanout, nameBytes);
  }

  /** The bytes of a name, by its place in the order. */
  name(at: number): Buffer {
    return this.#names.subarray(at * this.#nameBytes, (at + 1) * this.#nameBytes);
  }

  /** The place of a name in the order; -1 where the pack does not have the object. */
  find(name: Buffer): number {
    const first = name[0] ?? 0;
    let low = first === 0 ? 0 : (this.#fanout[first - 1] ?? 0);
    let high = (this.#fanout[first] ?? 0) - 1;
    const prefix = name.readUInt32BE(0);
    while (low <= high) {
      const middle = (low + high) >>> 1;
      const order =
        this.#names.readUInt32BE(middle * this.#nameBytes) - prefix || this.#compare(middle, name);
      if (order === 0) return middle;
      if (order < 0) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }

  #compare(at: number, name: Buffer): number {
    const begin = at * this.#nameBytes;
    return this.#names.compare(
      name,
      prefixBytes,
      this.#nameBytes,
      begin + prefixBytes,
      begin + this.#nameBytes,
    );
  }
}
