// Reads bodies of requests whole: each up to a size and within a time, and all of a kind within a
// memory that they share.
//
// A client that sends slowly, or stops, costs memory for as long as it is waited for. When the
// shared memory is full, the body that has been under way for the longest time is refused, and
// not the one that has just begun: an honest body is there in milliseconds, so that clients that
// stall push each other out, and keep no one else from being read.
import { SettError } from "../../lib/model/errors.ts";
import type { BodyLimits } from "./deps.ts";

type Bytes = Uint8Array<ArrayBuffer>;
/** `giveUp`: as long as the body is under way. */
type Room = { bytes: number; giveUp: ((why: SettError) => void) | undefined };
/** The memory is taken until it is disposed of. */
export type HeldBody = Disposable & { bytes: Bytes };

/** The least that a body takes: its connection and its reader cost memory, too. */
const minBytes = 64 * 1024;

export class Bodies {
  readonly #limits: BodyLimits;
  /** The oldest first. */
  readonly #rooms = new Set<Room>();

  constructor(limits: BodyLimits) {
    this.#limits = limits;
  }

  /** How many bytes are taken now. */
  get bytes(): number {
    return [...this.#rooms].reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /**
   * `onPart`: called with each part as it comes. Throws `too-large` for more than `maxBytes`, of
   * which no more is read, `too-slow`, `too-many-requests` where it has to make room for others,
   * and `usage` where it breaks off.
   */
  async read(
    { body, headers }: Pick<Request, "body" | "headers">,
    maxBytes: number,
    onPart: (part: Uint8Array) => void = () => {},
  ): Promise<HeldBody> {
    if (Number(headers.get("content-length") ?? 0) > maxBytes) throw tooLarge(maxBytes);
    if (body === null) return { bytes: new Uint8Array(), [Symbol.dispose]: () => {} };
    const failure = Promise.withResolvers<never>();
    failure.promise.catch(() => undefined);
    const room: Room = { bytes: 0, giveUp: failure.reject };
    const timer = setTimeout(
      () => failure.reject(tooSlow(this.#limits.deadlineMs)),
      this.#limits.deadlineMs,
    );
    const reader = body.getReader();
    const parts: Uint8Array[] = [];
    this.#rooms.add(room);
    try {
      this.#take(room, minBytes);
      for (let bytes = 0; ; ) {
        const { done, value } = await Promise.race([
          reader.read().catch(brokenOff),
          failure.promise,
        ]);
        if (done) break;
        bytes += value.length;
        if (bytes > maxBytes) throw tooLarge(maxBytes);
        this.#take(room, value.length);
        onPart(value);
        parts.push(value);
      }
    } catch (error) {
      this.#rooms.delete(room);
      throw error;
    } finally {
      // The answer drops the rest: see `lib/service/unread-bodies.ts`.
      reader.releaseLock();
      clearTimeout(timer);
      room.giveUp = undefined;
    }
    return {
      bytes: new Uint8Array(Buffer.concat(parts)),
      [Symbol.dispose]: () => void this.#rooms.delete(room),
    };
  }

  /** Bodies that are whole are being worked on, and stay. */
  #take(room: Room, bytes: number): void {
    room.bytes += bytes;
    while (this.bytes > this.#limits.maxHeldBytes) {
      const oldest = [...this.#rooms].find(({ giveUp }) => giveUp !== undefined);
      if (oldest === undefined) return;
      this.#rooms.delete(oldest);
      oldest.giveUp?.(tooManyBodies());
      if (oldest === room) return;
    }
  }
}

function brokenOff(cause: unknown): never {
  throw new SettError("usage", "The body of the request ended before it was whole.", {
    hint: "Send it again.",
    cause,
  });
}

function tooLarge(maxBytes: number): SettError {
  return new SettError("too-large", `The body of the request has more than ${maxBytes} bytes.`, {
    hint: "Commit a long text to the repository, and name its path instead.",
  });
}

function tooSlow(deadlineMs: number): SettError {
  return new SettError(
    "too-slow",
    `The body of the request was not whole after ${deadlineMs / 1_000} s.`,
    {
      hint: "Send it again, and all of it at once.",
    },
  );
}

function tooManyBodies(): SettError {
  return new SettError(
    "too-many-requests",
    "The bodies of too many requests are under way, and this one came too slowly.",
    {
      hint: "Send it again.",
    },
  );
}
