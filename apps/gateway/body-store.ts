// Keeps the bodies of requests and answers, compressed, each under the digest of its content.
import { createHash, type Hash, randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { access, mkdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip, type Gzip } from "node:zlib";
import type { RecordMode } from "../../lib/model/config-models.ts";
import { messageOf } from "../../lib/model/errors.ts";
import type { StoredBody } from "../../lib/model/model-call.ts";
import type { JsonLog } from "../../lib/service/json-log.ts";

/** Where a body is: two letters of the digest make a folder, so that none gets too large. */
export function pathOfBody(folder: string, digest: string): string {
  return join(folder, digest.slice(0, 2), `${digest.slice(2)}.gz`);
}

export class BodyStore {
  readonly #folder: string;
  readonly #mode: RecordMode;
  readonly #log: JsonLog;
  readonly #writing = new Set<Promise<void>>();

  constructor({ folder, mode, log }: { folder: string; mode: RecordMode; log: JsonLog }) {
    this.#folder = folder;
    this.#mode = mode;
    this.#log = log;
  }

  /** The digest is known at once; the file is written meanwhile. */
  keep(bytes: Uint8Array, contentType: string): StoredBody {
    const writer = this.open(contentType);
    void writer.write(bytes);
    return writer.end();
  }

  /** For a body that arrives in parts. */
  open(contentType: string): BodyWriter {
    return new BodyWriter(contentType, this.#mode === "digests" ? undefined : this.#file());
  }

  /** Resolves when every file is written. */
  async settled(): Promise<void> {
    await Promise.all(this.#writing);
  }

  #file(): BodyFile {
    const draft = join(this.#folder, "drafts", randomUUID());
    const gzip = createGzip();
    // What happens to the file is handled below; a late write to it must not end the process.
    gzip.on("error", () => {});
    const named = Promise.withResolvers<string>();
    const write = async () => {
      await mkdir(dirname(draft), { recursive: true, mode: 0o700 });
      await pipeline(gzip, createWriteStream(draft, { mode: 0o600 }));
      const path = pathOfBody(this.#folder, await named.promise);
      if (await exists(path)) return await rm(draft);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await rename(draft, path);
    };
    const written: Promise<void> = write()
      .catch(async (error: unknown) => {
        // A full disk must not end the calls: their records and digests are on the blackboard.
        gzip.destroy();
        this.#log.warn("Could not keep the body of a call", { error: messageOf(error) });
        await rm(draft, { force: true }).catch(() => {});
      })
      .finally(() => this.#writing.delete(written));
    this.#writing.add(written);
    return { gzip, name: named.resolve };
  }
}

type BodyFile = { gzip: Gzip; name: (digest: string) => void };

export class BodyWriter {
  readonly #contentType: string;
  readonly #file: BodyFile | undefined;
  readonly #hash: Hash = createHash("sha256");
  #bytes = 0;
  #stored: StoredBody | undefined;

  constructor(contentType: string, file: BodyFile | undefined) {
    this.#contentType = contentType;
    this.#file = file;
  }

  /** Resolves when more may be written: a slow disk slows the stream, and fills no memory. */
  async write(bytes: Uint8Array): Promise<void> {
    if (this.#stored !== undefined || bytes.length === 0) return;
    this.#hash.update(bytes);
    this.#bytes += bytes.length;
    const gzip = this.#file?.gzip;
    if (gzip === undefined || gzip.destroyed || gzip.write(bytes)) return;
    await drained(gzip);
  }

  /** May be called again: the first end counts. */
  end(): StoredBody {
    if (this.#stored !== undefined) return this.#stored;
    const digest = this.#hash.digest("hex");
    this.#file?.name(digest);
    this.#file?.gzip.end();
    this.#stored = { digest, bytes: this.#bytes, content_type: this.#contentType };
    return this.#stored;
  }
}

/** Resolves also where the file cannot be written. */
function drained(gzip: Gzip): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      gzip.off("drain", finish);
      gzip.off("close", finish);
      resolve();
    };
    gzip.on("drain", finish);
    gzip.on("close", finish);
  });
}

async function exists(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}
