// Store and exchange of an instance in a folder that one program alone has: the service of packs.
//
//   store.json                which files the store has, by their contents
//   files/SHA256              a content, which never changes
//   shelves/AGENT/COMMIT.pack what an agent has published, once and for all
//   incoming/…                what has not come whole yet; a new program empties it
//
// It runs no git, and trusts nothing that agents send: readers hash what they take.
import { createHash } from "node:crypto";
import type { Stats } from "node:fs";
import { link, mkdir, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { AgentName, type CommitHash } from "../../model/ids.ts";
import { maxPackBytes, Sha256, type ShelfPack, StoreList } from "../../model/packs.ts";
import { commitIn, packName } from "../exchange/pack-name.ts";
import { isFullDisk } from "../run/full-disk.ts";
import { hashOfFile, writeHashed } from "./file-bytes.ts";

/** A shelf is read with one listing. */
const maxPacks = 100_000;
/** A command that shows further commits sends files first, and then the list that names them. */
const unlistedMs = 60 * 60_000;

export type ShelfLimits = {
  /** How much may be on the shelf of each agent that may publish. */
  readonly shelves: ReadonlyMap<AgentName, number>;
  readonly maxPackBytes?: number;
};

/** A body that comes in: `bytes` as the sender has said it before. */
export type Incoming = { readonly bytes: number; readonly body: AsyncIterable<Uint8Array> };

/** Nothing has changed. `status`: of HTTP. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: number;

  constructor(status: number, sentence: string) {
    super(sentence);
    this.status = status;
  }
}

type Received = { path: string; sha256: string };

export class PackService {
  readonly #folder: string;
  readonly #limits: Required<ShelfLimits>;
  /** Agent → commit → bytes. */
  readonly #shelves = new Map<AgentName, Map<CommitHash, number>>();
  /** By agent, what is on its way to the shelf. */
  readonly #coming = new Map<AgentName, number>();
  #list: { text: string; tag: string } | undefined;
  /** One list after the other. */
  #listing: Promise<unknown> = Promise.resolve();

  private constructor(folder: string, limits: ShelfLimits) {
    this.#folder = folder;
    this.#limits = { maxPackBytes, ...limits };
  }

  /** `folder`: it exists. */
  static async open(folder: string, limits: ShelfLimits): Promise<PackService> {
    const service = new PackService(folder, limits);
    await rm(join(folder, "incoming"), { recursive: true, force: true });
    for (const name of ["incoming", "files", "shelves"])
      await mkdir(join(folder, name), { recursive: true });
    const text = await readFile(join(folder, "store.json"), "utf8").catch(() => undefined);
    service.#list = text === undefined ? undefined : { text, tag: hashOf(text) };
    await service.#readShelves();
    return service;
  }

  /** JSON of a StoreList, and the tag that another list has not. Undefined before the first one. */
  get list(): { text: string; tag: string } | undefined {
    return this.#list;
  }

  /** `before`: the tag of the list that the sender has changed, or undefined for the first one. */
  async putList(text: string, before: string | undefined): Promise<void> {
    const put = this.#listing.then(() => this.#putList(text, before));
    this.#listing = put.catch(() => undefined);
    await put;
  }

  async #putList(text: string, before: string | undefined): Promise<void> {
    if (this.#list?.tag !== before) throw new Refusal(412, "Another program has changed the list.");
    const { files } = StoreList.parse(JSON.parse(text));
    for (const { path, bytes, sha256 } of files) {
      const found = await stat(this.filePath(sha256)).catch(() => undefined);
      if (found?.size !== bytes) throw new Refusal(422, `The content of ${path} is not here.`);
    }
    const body = (async function* () {
      yield Buffer.from(text);
    })();
    await this.#receive({ bytes: Buffer.byteLength(text), body }, async ({ path }) => {
      await rename(path, join(this.#folder, "store.json"));
    });
    const known = [...files, ...filesIn(this.#list?.text)].map(({ sha256 }) => sha256);
    this.#list = { text, tag: hashOf(text) };
    await this.#removeUnlisted(new Set(known));
  }

  /** Agents may still read what the list before has named. */
  async #removeUnlisted(known: ReadonlySet<string>): Promise<void> {
    for (const name of await readdir(join(this.#folder, "files"))) {
      if (known.has(name)) continue;
      const path = join(this.#folder, "files", name);
      const { mtimeMs } = await stat(path).catch((): Partial<Stats> => ({}));
      if (mtimeMs !== undefined && Date.now() - mtimeMs > unlistedMs)
        await rm(path, { force: true });
    }
  }

  /** `sha256`: of the content. The file need not exist. */
  filePath(sha256: string): string {
    return join(this.#folder, "files", Sha256.parse(sha256));
  }

  async putFile(sha256: string, incoming: Incoming): Promise<void> {
    const place = this.filePath(sha256);
    await this.#receive(incoming, async (received) => {
      if (received.sha256 !== sha256) throw new Refusal(422, "The content has another SHA-256.");
      await rename(received.path, place);
    });
  }

  /** All that is on the shelves, or of one commit, by agent. */
  packs(commit?: CommitHash): ShelfPack[] {
    const found: ShelfPack[] = [];
    for (const [agent, shelf] of this.#shelves)
      for (const [each, bytes] of commit === undefined
        ? shelf
        : [[commit, shelf.get(commit)] as const])
        if (bytes !== undefined) found.push({ agent, commit: each, bytes });
    return found;
  }

  /** The file need not exist. */
  packPath(agent: AgentName, commit: CommitHash): string {
    return join(this.#folder, "shelves", agent, packName(commit));
  }

  /** Throws where a pack of so many bytes would be refused, so that it need not be sent in vain. */
  admit(agent: AgentName, commit: CommitHash, bytes: number): void {
    const limit = this.#limits.shelves.get(agent);
    if (limit === undefined) throw new Refusal(403, `${agent} may not publish commits.`);
    const { maxPackBytes: most } = this.#limits;
    if (bytes > most) {
      const sentence = `The pack of ${commit} has ${bytes} bytes, and no more than ${most} are taken.`;
      throw new Refusal(413, sentence);
    }
    const shelf = this.#shelfOf(agent);
    const there = shelf.get(commit);
    if (there !== undefined && there !== bytes) throw otherBytes(agent, commit);
    const sizes = there === undefined ? [...shelf.values()] : [];
    const used = sizes.reduce((sum, each) => sum + each, this.#comingTo(agent));
    if (used + bytes <= limit && sizes.length < maxPacks) return;
    const problem = `The shelf of ${agent} has no room for ${bytes} bytes more: \`resources.limits.disk\` allows ${limit}, and ${used} are there.`;
    const cure = "`sett hoard` fetches results into the repository, and takes them from there.";
    throw new Refusal(507, `${problem} ${cure}`);
  }

  /** Puts a pack on the agent's own shelf. A repeat with the same bytes changes nothing. */
  async publish(agent: AgentName, commit: CommitHash, incoming: Incoming): Promise<void> {
    const { bytes } = incoming;
    this.admit(agent, commit, bytes);
    this.#coming.set(agent, this.#comingTo(agent) + bytes);
    try {
      await this.#receive(incoming, async (received) => {
        await mkdir(join(this.#folder, "shelves", agent), { recursive: true });
        await this.#place(received, agent, commit);
        this.#shelfOf(agent).set(commit, bytes);
      });
    } finally {
      this.#coming.set(agent, this.#comingTo(agent) - bytes);
    }
  }

  #comingTo(agent: AgentName): number {
    return this.#coming.get(agent) ?? 0;
  }

  /** At no moment is there a part of it under the name, or another content than before. */
  async #place({ path, sha256 }: Received, agent: AgentName, commit: CommitHash): Promise<void> {
    const place = this.packPath(agent, commit);
    try {
      await link(path, place);
    } catch (error) {
      if (Object(error).code !== "EEXIST") throw error;
      if ((await hashOfFile(place)) === sha256) return;
      throw otherBytes(agent, commit);
    }
  }

  /** Nothing there is fine. */
  async remove(agent: AgentName, commit: CommitHash): Promise<void> {
    await rm(this.packPath(agent, commit), { force: true });
    this.#shelves.get(agent)?.delete(commit);
  }

  #shelfOf(agent: AgentName): Map<CommitHash, number> {
    const shelf = this.#shelves.get(agent) ?? new Map<CommitHash, number>();
    this.#shelves.set(agent, shelf);
    return shelf;
  }

  async #readShelves(): Promise<void> {
    const folder = join(this.#folder, "shelves");
    for (const name of await readdir(folder)) {
      const agent = AgentName.safeParse(name);
      if (!agent.success) continue;
      for (const file of await readdir(join(folder, name))) {
        const commit = commitIn(file);
        if (commit === undefined) continue;
        this.#shelfOf(agent.data).set(commit, (await stat(join(folder, name, file))).size);
      }
    }
  }

  /** All of it is on the disk before `place` gives it a name; what is not whole is removed. */
  async #receive(
    { bytes, body }: Incoming,
    place: (received: Received) => Promise<void>,
  ): Promise<void> {
    const path = join(this.#folder, "incoming", crypto.randomUUID());
    try {
      await using file = await open(path, "wx", 0o644);
      const received = await writeHashed(file, body, bytes);
      if (received.bytes !== bytes)
        throw new Refusal(400, `Not ${bytes} bytes have come, as was said before.`);
      await file.sync();
      await place({ path, sha256: received.sha256 });
    } catch (error) {
      if (!isFullDisk(error)) throw error;
      throw new Refusal(
        507,
        "The disk of the service of packs is full. Make room on the disk of the Docker Engine, or in a cluster in its claim, then try again.",
      );
    } finally {
      await rm(path, { force: true });
    }
  }
}

function otherBytes(agent: AgentName, commit: CommitHash): Refusal {
  return new Refusal(409, `The shelf of ${agent} has other bytes for the commit ${commit}.`);
}

function filesIn(text: string | undefined): StoreList["files"] {
  return text === undefined ? [] : StoreList.parse(JSON.parse(text)).files;
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
