// Keeps the bodies of requests and answers, compressed, each under the digest of its content.
import { createHash, type Hash, randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, rename, rm, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { createGzip, type Gzip, gzip } from "node:zlib";
import { SerialByKey } from "../../lib/async/serial-by-key.ts";
import type { RecordMode } from "../../lib/model/config-models.ts";
import { messageOf } from "../../lib/model/errors.ts";
import type { StoredBody } from "../../lib/model/model-call.ts";
import type { JsonLog } from "../../lib/service/json-log.ts";

/**
 * Larger bodies are written as they arrive; smaller ones when they are whole, one after another.
 * Bytes.
 */
const smallBytes = 256 * 1024;

/** The place of a body: two letters of the digest make a folder, so that none gets too large. */
export function pathOfBody(folder: string, digest: string): string {
  return join(folder, digest.slice(0, 2), `${digest.slice(2)}.gz`);
}

/** A body that another call has sent or got as well goes, too. */
export async function removeBody(folder: string, digest: string): Promise<void> {
  await rm(pathOfBody(folder, digest), { force: true });
}

export class BodyStore {
  readonly #folder: string;
  readonly #mode: RecordMode;
  readonly #log: JsonLog;
  readonly #writing = new Set<Promise<void>>();
  /** Calls are answered first: the files of small bodies have the time of one at once. */
  readonly #small = new SerialByKey<"small">();

  constructor({ folder, mode, log }: { folder: string; mode: RecordMode; log: JsonLog }) {
    this.#folder = folder;
    this.#mode = mode;
    this.#log = log;
  }

  /** The digest is known at once; the file is written soon. */
  keep(bytes: Uint8Array, contentType: string): StoredBody {
    const writer = this.open(contentType);
    void writer.write(bytes);
    return writer.end();
  }

  /** For a body that arrives in parts. */
  open(contentType: string): BodyWriter {
    const files = {
      begin: () => this.#begin(),
      write: (parts: Uint8Array[], digest: string) => this.#writeSmall(parts, digest),
    };
    return new BodyWriter(contentType, this.#mode === "digests" ? undefined : files);
  }

  /** Resolves when every file is written. */
  async settled(): Promise<void> {
    await Promise.all(this.#writing);
  }

  #writeSmall(parts: Uint8Array[], digest: string): void {
    const draft = this.#draft();
    const write = async () => {
      const path = pathOfBody(this.#folder, digest);
      if (await isKept(path)) return;
      await mkdir(dirname(draft), { recursive: true, mode: 0o700 });
      await writeFile(draft, await promisify(gzip)(Buffer.concat(parts)), { mode: 0o600 });
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await rename(draft, path);
    };
    this.#watch(this.#small.run("small", () => this.#orLog(draft, write)));
  }

  #begin(): BodyFile {
    const draft = this.#draft();
    const compressor = createGzip();
    // An error of the file is handled below; a late write to it must not end the process.
    compressor.on("error", () => {});
    const named = Promise.withResolvers<string>();
    const write = async () => {
      await mkdir(dirname(draft), { recursive: true, mode: 0o700 });
      await pipeline(compressor, createWriteStream(draft, { mode: 0o600 }));
      const path = pathOfBody(this.#folder, await named.promise);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await rename(draft, path);
    };
    this.#watch(this.#orLog(draft, write).finally(() => compressor.destroy()));
    return { compressor, name: named.resolve };
  }

  #draft(): string {
    return join(this.#folder, "drafts", randomUUID());
  }

  #watch(written: Promise<void>): void {
    this.#writing.add(written);
    void written.finally(() => this.#writing.delete(written));
  }

  /** A full disk must not end the calls: their records and digests are on the blackboard. */
  async #orLog(draft: string, write: () => Promise<void>): Promise<void> {
    try {
      await write();
    } catch (error) {
      this.#log.warn("Could not keep the body of a call", { error: messageOf(error) });
      await rm(draft, { force: true }).catch(() => {});
    }
  }
}

type BodyFile = { compressor: Gzip; name: (digest: string) => void };
type Files = { begin: () => BodyFile; write: (parts: Uint8Array[], digest: string) => void };

export class BodyWriter {
  readonly #contentType: string;
  readonly #files: Files | undefined;
  readonly #hash: Hash = createHash("sha256");
  #parts: Uint8Array[] = [];
  #file: BodyFile | undefined;
  #bytes = 0;
  #stored: StoredBody | undefined;

  constructor(contentType: string, files: Files | undefined) {
    this.#contentType = contentType;
    this.#files = files;
  }

  /** Resolves when more may be written: a slow disk slows the stream, and fills no memory. */
  async write(bytes: Uint8Array): Promise<void> {
    if (this.#stored !== undefined || bytes.length === 0) return;
    this.#hash.update(bytes);
    this.#bytes += bytes.length;
    if (this.#files === undefined) return;
    this.#parts.push(bytes);
    if (this.#bytes <= smallBytes) return;
    this.#file ??= this.#files.begin();
    const { compressor } = this.#file;
    let mayGoOn = true;
    for (const part of this.#parts.splice(0))
      if (!compressor.destroyed) mayGoOn = compressor.write(part);
    if (!mayGoOn && !compressor.destroyed) await drained(compressor);
  }

  /** May be called again: the first end counts. */
  end(): StoredBody {
    if (this.#stored !== undefined) return this.#stored;
    const digest = this.#hash.digest("hex");
    if (this.#file === undefined) this.#files?.write(this.#parts, digest);
    this.#file?.name(digest);
    this.#file?.compressor.end();
    this.#stored = { digest, bytes: this.#bytes, content_type: this.#contentType };
    return this.#stored;
  }
}

/** Resolves also where the file cannot be written. */
function drained(compressor: Gzip): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      compressor.off("drain", finish);
      compressor.off("close", finish);
      resolve();
    };
    compressor.on("drain", finish);
    compressor.on("close", finish);
  });
}

/** A body that is sent again is kept from now on. */
async function isKept(path: string): Promise<boolean> {
  const now = new Date();
  return await utimes(path, now, now).then(
    () => true,
    () => false,
  );
}
