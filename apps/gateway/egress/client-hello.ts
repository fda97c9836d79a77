// The server's name in the first message of a TLS connection (RFC 8446, section 4.1.2; RFC 6066, section 3), which is not encrypted.

/**
 * `unfinished`: more bytes are needed to say. `other`: not TLS. `name` is undefined where the client names no server. `ambiguous`: it names
 * more than one, or one twice, and servers differ in which of them they take.
 */
export type Hello =
  | { kind: "unfinished" }
  | { kind: "other" }
  | { kind: "ambiguous" }
  | { kind: "tls"; name: string | undefined };

const handshakeRecord = 22;
const clientHello = 1;
const serverName = 0;
const hostName = 0;

export function readHello(bytes: Uint8Array): Hello {
  if (bytes.length === 0) return { kind: "unfinished" };
  if (bytes[0] !== handshakeRecord || (bytes.length > 1 && bytes[1] !== 3)) return { kind: "other" };
  const message = messageIn(bytes);
  if (message === undefined) return { kind: "unfinished" };
  if (message[0] !== clientHello) return { kind: "other" };
  try {
    const names = namesIn(new Reader(message.subarray(4)));
    return names.length > 1 ? { kind: "ambiguous" } : { kind: "tls", name: names[0] };
  } catch (error) {
    if (error instanceof RangeError) return { kind: "other" };
    throw error;
  }
}

/** The first handshake message, which may be spread over several records; undefined while it is not complete. */
function messageIn(bytes: Uint8Array): Uint8Array | undefined {
  const parts: number[] = [];
  for (let at = 0; at + 5 <= bytes.length && bytes[at] === handshakeRecord; ) {
    const length = (bytes[at + 3] ?? 0) * 256 + (bytes[at + 4] ?? 0);
    parts.push(...bytes.subarray(at + 5, at + 5 + length));
    at += 5 + length;
    const [, high = 0, middle = 0, low = 0] = parts;
    const wanted = 4 + high * 65_536 + middle * 256 + low;
    if (parts.length >= 4 && parts.length >= wanted) return Uint8Array.from(parts.slice(0, wanted));
  }
  return undefined;
}

/** Of every sort, also what follows the list of names: only one of the sort `hostName` is a name that all servers read alike. */
function namesIn(hello: Reader): string[] {
  // Version and random number, then session, ciphers and compressions.
  hello.take(34);
  hello.take(hello.number(1));
  hello.take(hello.number(2));
  hello.take(hello.number(1));
  if (hello.isAtEnd) return [];
  const extensions = new Reader(hello.take(hello.number(2)));
  const found: string[] = [];
  while (!extensions.isAtEnd) {
    const kind = extensions.number(2);
    const content = new Reader(extensions.take(extensions.number(2)));
    if (kind !== serverName) continue;
    const names = new Reader(content.take(content.number(2)));
    while (!names.isAtEnd) {
      const sort = names.number(1);
      const name = new TextDecoder("latin1").decode(names.take(names.number(2)));
      found.push(sort === hostName ? name : `of the sort ${sort}: ${name}`);
    }
    if (!content.isAtEnd) found.push("after the list");
  }
  return found;
}

/** Throws RangeError beyond the end. */
class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  take(count: number): Uint8Array {
    if (this.#at + count > this.#bytes.length) throw new RangeError("The message is too short.");
    this.#at += count;
    return this.#bytes.subarray(this.#at - count, this.#at);
  }

  number(bytes: number): number {
    return this.take(bytes).reduce((sum, byte) => sum * 256 + byte, 0);
  }
}
