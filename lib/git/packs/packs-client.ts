// The service of packs as its callers reach it: an agent by its socket, the host by a port of this
// machine and a token.
import { openAsBlob } from "node:fs";
import { open, stat } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { clauseOf, SettError } from "../../model/errors.ts";
import type { AgentName, CommitHash } from "../../model/ids.ts";
import { type ShelfPack, ShelfPacks, StoreList } from "../../model/packs.ts";
import { writeHashed } from "./file-bytes.ts";

/** `url`: `unix:/PATH` of a socket, or `http://HOST:PORT`. */
export type PacksAddress = { readonly url: string; readonly token?: string | undefined };

/**
 * Finds the service, whose port changes whenever it starts again. "starting": it will be there.
 * Undefined where it is not to be waited for.
 */
export type FindPacks = () => Promise<PacksAddress | "starting" | undefined>;

type Options = {
  /** How long the service may be away, as it is when it starts again. */
  readonly patienceMs?: number;
  readonly signal?: AbortSignal | undefined;
};

type Call = { headers?: Record<string, string>; body?: BodyInit };

/** `tag`: undefined before the first list. */
export type Listed = { list: StoreList; tag: string | undefined };

const usualPatienceMs = 30_000;
const retryMs = 100;
const socketProtocol = "unix:";

/** The service has said no. `status`: of HTTP. */
export class PacksRefused extends SettError {
  readonly status: number;

  constructor(status: number, sentence: string) {
    super("git-failed", sentence);
    this.status = status;
  }
}

/** Every method throws git-failed where the service stays away, or refuses. */
export class PacksClient {
  readonly #find: FindPacks;
  /** The place where it was found last. */
  #address: PacksAddress | undefined;
  readonly #patienceMs: number;
  readonly #signal: AbortSignal | undefined;
  #last: Listed | undefined;

  constructor(find: FindPacks, { patienceMs = usualPatienceMs, signal }: Options = {}) {
    this.#find = find;
    this.#patienceMs = patienceMs;
    this.#signal = signal;
  }

  async list(): Promise<Listed> {
    const tag = this.#last?.tag;
    const headers = tag === undefined ? {} : { "if-none-match": tag };
    return await this.#ask("GET", "store", { headers }, async (answer) => {
      if (answer.status === 304 && this.#last !== undefined) return this.#last;
      if (answer.status === 404) return { list: { files: [] }, tag: undefined };
      await requireOk(answer);
      const list = StoreList.parse(await answer.json());
      this.#last = { list, tag: answer.headers.get("etag") ?? undefined };
      return this.#last;
    });
  }

  /** False where another program has changed it since `before`. */
  async putList(list: StoreList, before: string | undefined): Promise<boolean> {
    const headers: Record<string, string> = before === undefined ? {} : { "if-match": before };
    const body = JSON.stringify(list);
    return await this.#ask("PUT", "store", { headers, body }, async (answer) => {
      if (answer.status === 412) return false;
      await requireOk(answer);
      return true;
    });
  }

  /** Throws as well where the file has not the length and the SHA-256. */
  async getFile(sha256: string, to: string): Promise<void> {
    const found = await this.#download(`files/${sha256}`, to, Number.POSITIVE_INFINITY);
    if (found?.sha256 === sha256) return;
    throw new SettError("git-failed", `The service of packs has not given the content ${sha256}.`);
  }

  async putFile(sha256: string, from: string): Promise<void> {
    await this.#upload(`files/${sha256}`, from);
  }

  async packs(commit?: CommitHash): Promise<ShelfPack[]> {
    const path = commit === undefined ? "shelves" : `shelves/${commit}`;
    return await this.#ask("GET", path, {}, async (answer) => {
      await requireOk(answer);
      return ShelfPacks.parse(await answer.json());
    });
  }

  /** False where there is none any more. Throws for one of more bytes. */
  async getPack({ agent, commit }: ShelfPack, to: string, maxBytes: number): Promise<boolean> {
    return (await this.#download(`shelves/${commit}/${agent}`, to, maxBytes)) !== undefined;
  }

  /** On the caller's own shelf. False where other bytes are there for the commit. */
  async publish(commit: CommitHash, from: string): Promise<boolean> {
    const headers = { "sett-bytes": String((await stat(from)).size) };
    try {
      await this.#ask("POST", `shelves/${commit}`, { headers }, requireOk);
      await this.#upload(`shelves/${commit}`, from);
      return true;
    } catch (error) {
      if (error instanceof PacksRefused && error.status === 409) return false;
      throw error;
    }
  }

  async remove(agent: AgentName, commit: CommitHash): Promise<void> {
    await this.#ask("DELETE", `shelves/${commit}/${agent}`, {}, requireOk);
  }

  async #upload(path: string, from: string): Promise<void> {
    const body = await openAsBlob(from);
    await this.#ask("PUT", path, { body }, requireOk);
  }

  async #download(
    path: string,
    to: string,
    maxBytes: number,
  ): Promise<{ sha256: string } | undefined> {
    return await this.#ask("GET", path, {}, async (answer) => {
      if (answer.status === 404) return undefined;
      await requireOk(answer);
      await using file = await open(to, "w", 0o644);
      const { bytes, sha256 } = await writeHashed(file, answer.body ?? empty(), maxBytes);
      if (bytes > maxBytes)
        throw new PacksRefused(413, `${path} is not read: it has more than ${maxBytes} bytes.`);
      const announced = answer.headers.get("content-length");
      if (announced !== null && Number(announced) !== bytes)
        throw new Error("the connection has ended in the middle");
      return { sha256 };
    });
  }

  async #place(): Promise<PacksAddress> {
    const found = this.#address ?? (await this.#find());
    if (found === "starting") throw new Error("it is starting");
    if (found === undefined) {
      const hint = "`sett up` starts it again.";
      throw new SettError("git-failed", "The service of packs does not run.", { hint });
    }
    this.#address = found;
    return found;
  }

  /** Asks again while the service is away: each question may come twice. */
  async #ask<Result>(
    method: string,
    path: string,
    { headers, body }: Call,
    use: (answer: Response) => Promise<Result>,
  ): Promise<Result> {
    const startedAt = performance.now();
    for (;;) {
      try {
        const { url, token } = await this.#place();
        const answer = await fetch(addressOf(url, path), {
          ...{ method, signal: this.#signal ?? null, ...wayOf(url) },
          ...(body !== undefined && { body }),
          headers: { ...headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) },
        });
        return await use(answer);
      } catch (error) {
        if (error instanceof SettError) throw error;
        this.#address = undefined;
        this.#signal?.throwIfAborted();
        if (performance.now() - startedAt > this.#patienceMs) throw away(error);
        await sleep(retryMs);
      }
    }
  }
}

async function* empty(): AsyncGenerator<Uint8Array> {}

function addressOf(url: string, path: string): string {
  return url.startsWith(socketProtocol) ? `http://localhost/${path}` : `${url}/${path}`;
}

/** Only Bun knows sockets of files here. */
function wayOf(url: string): { unix?: string } {
  return url.startsWith(socketProtocol) ? { unix: url.slice(socketProtocol.length) } : {};
}

async function requireOk(answer: Response): Promise<void> {
  if (answer.ok) return;
  throw new PacksRefused(answer.status, (await answer.text()).slice(0, 1_000));
}

function away(cause: unknown): SettError {
  const hint = "`sett logs packs` may show why. `sett up` starts it again.";
  const message = `The service of packs does not answer: ${clauseOf(cause)}.`;
  return new SettError("git-failed", message, { hint, cause });
}
