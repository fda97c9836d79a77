// The server's name in the first message of a TLS connection (RFC 8446, section 4.1.2; RFC 6066,
// section 3), which is not encrypted.

/**
 * `unfinished`: more bytes are needed to say. `other`: not TLS. `name` is undefined where the
 * client names no server. `ambiguous`: it names more than one, or one twice, and servers differ in
 * which of them they take.
 */
export type Hello =
  | { kind: "unfinished" }
  | { kind: "other" }
  | { kind: "ambiguous" }
  | { kind: "tls"; name: string | undefined };

const handshakeRecord = 22;
const clientHello = 1;
/** The headers of a record and of a message. */
const [headerBytes, startBytes] = [5, 4];
const serverName = 0;
const hostName = 0;

/** Reads the message as its bytes arrive, each once: a client may send them one by one. */
export class HelloReader {
  #hello: Hello = { kind: "unfinished" };
  /**
   * The header of the record that is being read, and how many bytes of its content are still to
   * come.
   */
  readonly #header: number[] = [];
  #left = 0;
  #records = 0;
  /**
   * Something else has come within the message: servers differ in what they make of that, so it
   * never ends.
   */
  #isLost = false;
  /** The message as far as it is known, which may be spread over several records. */
  readonly #parts: Uint8Array[] = [];
  #length = 0;
  /** Its first bytes: what it is, and how long. */
  readonly #start: number[] = [];

  read(bytes: Uint8Array): Hello {
    for (let at = 0; at < bytes.length && !this.#isLost && this.#hello.kind === "unfinished"; ) {
      const content = bytes.subarray(at, at + this.#left);
      at += Math.max(1, content.length);
      this.#hello =
        content.length > 0 ? this.#afterContent(content) : this.#afterHeader(bytes[at - 1] ?? 0);
    }
    return this.#hello;
  }

  #afterHeader(byte: number): Hello {
    const header = this.#header;
    if (header.length === headerBytes) header.length = 0;
    header.push(byte);
    if (header[0] !== handshakeRecord || (header.length > 1 && header[1] !== 3)) {
      this.#isLost = this.#records > 0;
      return { kind: this.#isLost ? "unfinished" : "other" };
    }
    if (header.length === headerBytes) {
      this.#left = (header[3] ?? 0) * 256 + (header[4] ?? 0);
      this.#records += 1;
    }
    return { kind: "unfinished" };
  }

  #afterContent(content: Uint8Array): Hello {
    this.#left -= content.length;
    this.#parts.push(content);
    this.#length += content.length;
    const start = this.#start;
    start.push(...content.subarray(0, startBytes - start.length));
    if (start[0] !== clientHello) return { kind: "other" };
    const wanted = startBytes + (start[1] ?? 0) * 65_536 + (start[2] ?? 0) * 256 + (start[3] ?? 0);
    if (this.#length < startBytes || this.#length < wanted) return { kind: "unfinished" };
    return helloIn(Buffer.concat(this.#parts).subarray(0, wanted));
  }
}

/** `message`: whole. */
function helloIn(message: Uint8Array): Hello {
  try {
    const names = namesIn(new Reader(message.subarray(4)));
    return names.length > 1 ? { kind: "ambiguous" } : { kind: "tls", name: names[0] };
  } catch (error) {
    if (error instanceof RangeError) return { kind: "other" };
    throw error;
  }
}

/**
 * Names of every sort, also behind the list of names: only one of the sort `hostName` is a name
 * that all servers read alike.
 */
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
