// Everything that Redis has at one moment, while it goes on: as it sends it to a replica. The
// client library knows no such answer.
import { connect as connectPlain, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { SettError } from "../../model/errors.ts";

/** While Redis prepares its answer it sends an empty line each second or so. */
const silenceMs = 60_000;
/** A replica says that it can read an answer of unknown length, and wants nothing after it. */
const wishes = ["REPLCONF capa eof", "REPLCONF rdb-only 1"];
/** As for other requests of a line. */
const maxLineBytes = 64 * 1024;

/**
 * The bytes of a file in Redis' own format (RDB), as of the moment at which Redis begins it: all
 * that was acknowledged before the call is in it. `url`: of the owner. Throws `redis-unreachable`.
 */
export async function* snapshotOf(url: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  if (signal.aborted) throw interrupted();
  const socket = open(new URL(url));
  const stop = () => socket.destroy();
  signal.addEventListener("abort", stop, { once: true });
  try {
    const reader = new Reader(socket);
    for (const words of [...login(new URL(url)), ...wishes, noDelay]) {
      socket.write(`${words}\r\n`);
      await reader.ok();
    }
    socket.write("SYNC\r\n");
    yield* reader.file();
  } catch (error) {
    if (signal.aborted) throw interrupted();
    const reason = error instanceof Error ? error.message : String(error);
    throw new SettError("redis-unreachable", `Redis did not send all that it has: ${reason}`, {
      hint: "Try again; `sett logs redis` may show why.",
      cause: error,
    });
  } finally {
    signal.removeEventListener("abort", stop);
    socket.destroy();
  }
}

function interrupted(): SettError {
  return new SettError("interrupted", "Interrupted.");
}

/** Redis would else wait some seconds for other replicas. There are none. */
const noDelay = "CONFIG SET repl-diskless-sync-delay 0";

function open({ protocol, hostname, port }: URL): Socket {
  const address = { host: hostname.replace(/^\[|\]$/g, ""), port: Number(port || 6379) };
  const socket = protocol === "rediss:" ? connectTls(address) : connectPlain(address);
  socket.setTimeout(silenceMs, () => socket.destroy(new Error("It has said nothing for 60 s.")));
  return socket;
}

function login({ username, password }: URL): string[] {
  const words = [username, password].filter((word) => word !== "").map(decodeURIComponent);
  return password === "" ? [] : [`AUTH ${words.map((word) => JSON.stringify(word)).join(" ")}`];
}

/** Reads the answers of Redis, by lines and then by bytes. */
class Reader {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest = Buffer.alloc(0);

  constructor(socket: Socket) {
    this.#chunks = socket[Symbol.asyncIterator]();
  }

  async ok(): Promise<void> {
    const line = await this.#line();
    if (line !== "+OK") throw new Error(`It answered: ${line.replace(/^-/, "")}`);
  }

  async *file(): AsyncGenerator<Uint8Array> {
    const announced = await this.#line();
    const [, mark, length] = /^\$(?:EOF:(.{40})|(\d+))$/.exec(announced) ?? [];
    if (mark !== undefined) yield* this.#untilMark(Buffer.from(mark, "latin1"));
    else if (length !== undefined) yield* this.#exactly(Number(length));
    else throw new Error(`It answered: ${announced.replace(/^-/, "")}`);
  }

  async #line(): Promise<string> {
    for (;;) {
      const end = this.#rest.indexOf("\n");
      if (end === -1) {
        if (this.#rest.length > maxLineBytes) throw new Error("It does not speak as Redis does.");
        this.#rest = Buffer.concat([this.#rest, await this.#next()]);
        continue;
      }
      const line = this.#rest.toString("latin1", 0, end).replace(/\r$/, "");
      this.#rest = this.#rest.subarray(end + 1);
      if (line !== "") return line;
    }
  }

  async *#exactly(length: number): AsyncGenerator<Uint8Array> {
    for (let left = length; left > 0; ) {
      const piece = (this.#rest.length > 0 ? this.#rest : await this.#next()).subarray(0, left);
      this.#rest = this.#rest.subarray(piece.length);
      left -= piece.length;
      yield piece;
    }
  }

  /** The end of what has come may be the beginning of the mark: it is kept until more has come. */
  async *#untilMark(mark: Buffer): AsyncGenerator<Uint8Array> {
    for (;;) {
      const at = this.#rest.indexOf(mark);
      const end = at === -1 ? Math.max(0, this.#rest.length - mark.length + 1) : at;
      if (end > 0) yield this.#rest.subarray(0, end);
      if (at !== -1) return;
      this.#rest = Buffer.concat([this.#rest.subarray(end), await this.#next()]);
    }
  }

  async #next(): Promise<Buffer> {
    const { done, value } = await this.#chunks.next();
    if (done === true) throw new Error("The connection has ended.");
    return value;
  }
}
