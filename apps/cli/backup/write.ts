// Writes a back-up, entry by entry, whose sizes are known only when they are written.
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { closeSync, fsyncSync, openSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { messageOf, SettError } from "../../../lib/model/errors.ts";
import { archiveEnd, blockBytes, paddingOf, writeHeader } from "../../../lib/runtime/tar.ts";
import { type Manifest, manifestName, type Seal, sealName } from "./format.ts";

/** The files belong to the person who unpacks them. */
const owner = { uid: 0, gid: 0 };
const mode = 0o600;

/**
 * Only its owner can read the file. It is removed where it is disposed of before it is kept. It
 * is written at once, so that whatever comes faster than the disk waits. Every method throws
 * `backup-unusable`.
 */
export class BackupWriter implements Disposable {
  readonly #path: string;
  readonly #file: number;
  readonly #listing = createHash("sha256");
  #at = 0;
  #entries = 0;
  #isKept = false;

  /** Never overwrites a file. */
  constructor(path: string, manifest: Manifest) {
    this.#path = path;
    this.#file = create(path);
    this.addText(manifestName, `${JSON.stringify(manifest, undefined, 2)}\n`);
  }

  /** `write` takes the content; an error of it is thrown by `end`. */
  begin(name: string): { write: (chunk: Uint8Array) => void; end: () => void } {
    const [start, hash] = [this.#at, createHash("sha256")];
    let [size, failure] = [0, undefined as unknown];
    const write = (chunk: Uint8Array) => {
      if (failure !== undefined) return;
      try {
        this.#put(chunk, start + blockBytes + size);
        size += chunk.length;
        hash.update(chunk);
      } catch (error) {
        failure = error;
      }
    };
    const end = () => {
      if (failure !== undefined) throw failure;
      this.#put(writeHeader({ name, kind: "0", size, mode, owner }), start);
      const next = start + blockBytes + size + paddingOf(size);
      this.#put(new Uint8Array(paddingOf(size)), start + blockBytes + size);
      this.#listing.update(`${hash.digest("hex")}  ${name}\n`);
      this.#entries += 1;
      this.#at = next;
    };
    return { write, end };
  }

  async add(name: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
    const { write, end } = this.begin(name);
    for await (const chunk of chunks) write(chunk);
    end();
  }

  addText(name: string, text: string): void {
    this.addBytes(name, Buffer.from(text));
  }

  addBytes(name: string, bytes: Uint8Array): void {
    const { write, end } = this.begin(name);
    write(bytes);
    end();
  }

  /** Resolves once the file is on the disk. */
  seal(): Seal {
    const seal = { entries: this.#entries, sha256: this.#listing.copy().digest("hex") };
    this.addText(sealName, `${JSON.stringify(seal)}\n`);
    this.#put(archiveEnd, this.#at);
    this.#try(() => {
      fsyncSync(this.#file);
      const folder = openSync(dirname(this.#path), "r");
      fsyncSync(folder);
      closeSync(folder);
    });
    return seal;
  }

  /** The file stays. */
  keep(): void {
    this.#isKept = true;
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
    if (!this.#isKept) rmSync(this.#path, { force: true });
  }

  #put(bytes: Uint8Array, at: number): void {
    this.#try(() => {
      let done = 0;
      while (done < bytes.length)
        done += writeSync(this.#file, bytes, done, bytes.length - done, at + done);
    });
  }

  #try(write: () => void): void {
    try {
      write();
    } catch (error) {
      throw unwritable(this.#path, error);
    }
  }
}

function create(path: string): number {
  try {
    return openSync(path, "wx", mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw unwritable(path, error);
    const message = `${path} exists already, and sett does not overwrite it.`;
    throw new SettError("backup-unusable", message, {
      hint: "Name another file. After a `sett backup` that was killed, remove this one.",
      cause: error,
    });
  }
}

function unwritable(path: string, cause: unknown): SettError {
  return new SettError("backup-unusable", `${path} could not be written: ${messageOf(cause)}`, {
    hint: "Nothing of the instance has changed. Name another place.",
    cause,
  });
}
