// A bundle as a file: a tar archive in which the same content gives the same bytes.
import { Buffer } from "node:buffer";
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import process from "node:process";
import { clauseOf, SettError } from "../../../lib/model/errors.ts";
import { maxArchiveBytes } from "../../../lib/proof/archive.ts";
import type { Bytes } from "../../../lib/proof/bundle-file.ts";
import { archiveEnd, blockBytes, paddingOf, writeHeader } from "../../../lib/runtime/tar.ts";

const about = { kind: "0", mode: 0o644, owner: { uid: 0, gid: 0 } } as const;

/**
 * Writes a bundle file by file, so that it need not be in memory. It is removed where it is
 * disposed of before it is kept, and where the process ends by an interruption. Never overwrites a
 * file. Every method throws `output-failed`.
 */
export class BundleWriter implements Disposable {
  readonly #path: string;
  readonly #file: number;
  readonly #maxBytes: number;
  #at = 0;
  #isKept = false;

  constructor(path: string, maxBytes = maxArchiveBytes) {
    this.#path = path;
    this.#maxBytes = maxBytes;
    this.#file = atDisk(path, () => openSync(path, "wx"));
    process.once("exit", this.#discard);
  }

  /** `write` takes the content as it comes; nothing else may be written before `end`. */
  begin(name: string): { write: (text: string) => void; end: () => void } {
    const start = this.#at;
    this.#at += blockBytes;
    const write = (text: string) => this.#append(Buffer.from(text));
    const end = () => {
      const size = this.#at - start - blockBytes;
      this.#append(new Uint8Array(paddingOf(size)));
      this.#put(writeHeader({ ...about, name, size }), start);
    };
    return { write, end };
  }

  add(name: string, content: string | Uint8Array): void {
    const bytes = Buffer.from(content);
    this.#append(writeHeader({ ...about, name, size: bytes.length }));
    this.#append(bytes);
    this.#append(new Uint8Array(paddingOf(bytes.length)));
  }

  keep(): void {
    this.#append(archiveEnd);
    this.#isKept = true;
  }

  #append(bytes: Uint8Array): void {
    this.#put(bytes, this.#at);
    this.#at += bytes.length;
    if (this.#at <= this.#maxBytes) return;
    throw new SettError("output-failed", "The bundle has more than 2 GiB: no verifier reads it.", {
      hint: "Export single goals: sett audit export GOAL",
    });
  }

  #put(bytes: Uint8Array, at: number): void {
    atDisk(this.#path, () => {
      for (let from = 0; from < bytes.length; )
        from += writeSync(this.#file, bytes, from, bytes.length - from, at + from);
    });
  }

  [Symbol.dispose](): void {
    process.off("exit", this.#discard);
    closeSync(this.#file);
    this.#discard();
  }

  readonly #discard = (): void => {
    if (!this.#isKept) rmSync(this.#path, { force: true });
  };
}

function atDisk<Result>(path: string, act: () => Result): Result {
  try {
    return act();
  } catch (cause) {
    throw new SettError("output-failed", `${path} cannot be written: ${clauseOf(cause)}.`, {
      hint: "Name another file: --to FILE",
      cause,
    });
  }
}

/** The bytes of a file that is open until it is disposed of. */
export type OpenBundle = Bytes & AsyncDisposable;

/**
 * A pipe, or whatever else is no plain file, is read into memory, since no reader can go back in
 * it. Throws `usage` where the file cannot be read, also later.
 */
export async function openBundle(path: string): Promise<OpenBundle> {
  const file = await open(path).catch((cause) => {
    throw unreadable(path, cause);
  });
  try {
    const about = await file.stat();
    const bytes = about.isFile() ? undefined : await allOf(file);
    return {
      size: bytes?.length ?? about.size,
      read: async (into, at) => {
        if (bytes === undefined) await readFully(path, file, { into, at });
        else bytes.copy(into, 0, at);
      },
      [Symbol.asyncDispose]: () => file.close(),
    };
  } catch (cause) {
    await file.close();
    throw unreadable(path, cause);
  }
}

/** Reads it whole, or up to one byte more than a bundle may have. */
async function allOf(file: FileHandle): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of file.createReadStream({ autoClose: false })) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maxArchiveBytes) break;
  }
  return Buffer.concat(chunks);
}

async function readFully(
  path: string,
  file: FileHandle,
  { into, at }: { into: Uint8Array; at: number },
): Promise<void> {
  for (let from = 0; from < into.length; ) {
    const read = await file.read(into, from, into.length - from, at + from).catch((cause) => {
      throw unreadable(path, cause);
    });
    if (read.bytesRead === 0) throw unreadable(path, new Error("it was cut while it was read"));
    from += read.bytesRead;
  }
}

function unreadable(path: string, cause: unknown): SettError {
  return new SettError("usage", `${path} cannot be read: ${clauseOf(cause)}.`, {
    hint: "Name a file that `sett audit export` has written.",
    cause,
  });
}
