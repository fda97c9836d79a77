// Keeps what commands have printed on the record's volume: compressed, in a folder for each goal,
// each body under the digest of its content. So nothing that is there can be changed by adding.
import { createHash, randomUUID } from "node:crypto";
import { mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { Clock } from "../../../lib/async/clock.ts";
import { SerialByKey } from "../../../lib/async/serial-by-key.ts";
import type { GoalId } from "../../../lib/model/ids.ts";
import { roomForCount } from "../../../lib/model/kept-output.ts";

/** The folder of the record's volume; the gateway's bodies are beside it. */
const outputsFolder = "outputs";
const draftsFolder = "drafts";

/** 1 GiB: how much one agent may add in a day, compressed. Agents would else fill the disk. */
const addedInADay = 1024 ** 3;
const dayMs = 86_400_000;

export type Body = { goal: GoalId; digest: string };
/** `refused`: a sentence. */
export type Kept = "kept" | { refused: string; status: 400 | 413 | 429 };

export class OutputStore {
  readonly #folder: string;
  readonly #maxBytes: number;
  readonly #clock: Pick<Clock, "passedMs">;
  readonly #added = new Map<string, { sinceMs: number; bytes: number }>();
  /** Each agent's bodies are unpacked one after the other: a body may take the whole bound. */
  readonly #writing = new SerialByKey<string>();

  /** `maxBytes`: of one body, before it is compressed. */
  constructor(options: { folder: string; maxBytes: number; clock: Pick<Clock, "passedMs"> }) {
    this.#folder = join(options.folder, outputsFolder);
    this.#maxBytes = options.maxBytes + roomForCount;
    this.#clock = options.clock;
  }

  /** Before the first body comes: what a writer that was killed has not finished goes. */
  async removeDrafts(): Promise<void> {
    await rm(join(this.#folder, draftsFolder), { recursive: true, force: true });
  }

  /**
   * `packed`: by gzip. A body that is there already is kept as it is. Rejects where the disk fails.
   */
  async add(agent: string, body: Body, packed: Uint8Array): Promise<Kept> {
    return await this.#writing.run(agent, () => this.#add(agent, body, packed));
  }

  async #add(agent: string, body: Body, packed: Uint8Array): Promise<Kept> {
    const path = this.#pathOf(body);
    if (!this.#hasRoom(agent, packed.byteLength)) {
      const refused = `The agent ${agent} has added more than ${addedInADay} bytes in a day.`;
      return { refused, status: 429 };
    }
    const content = await unpacked(packed, this.#maxBytes);
    if (content === undefined)
      return { refused: `It is not gzip of at most ${this.#maxBytes} bytes.`, status: 413 };
    if (createHash("sha256").update(content).digest("hex") !== body.digest)
      return { refused: "Its SHA-256 is another one.", status: 400 };
    if (await isThere(path)) return "kept";
    const draft = join(this.#folder, draftsFolder, randomUUID());
    try {
      await writeWithFolder(draft, packed);
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await rename(draft, path);
    } catch (error) {
      await rm(draft, { force: true }).catch(() => undefined);
      throw error;
    }
    return "kept";
  }

  /** Undefined where it was never kept, or has gone with its goal. */
  async read(body: Body): Promise<Uint8Array | undefined> {
    try {
      return await promisify(gunzip)(await readFile(this.#pathOf(body)));
    } catch {
      return undefined;
    }
  }

  async remove(body: Body): Promise<void> {
    await rm(this.#pathOf(body), { force: true });
  }

  async removeGoal(goal: GoalId): Promise<void> {
    await rm(join(this.#folder, goal), { recursive: true, force: true });
  }

  #pathOf({ goal, digest }: Body): string {
    return join(this.#folder, goal, `${digest}.gz`);
  }

  #hasRoom(agent: string, bytes: number): boolean {
    const nowMs = this.#clock.passedMs();
    const before = this.#added.get(agent);
    const day =
      before === undefined || nowMs - before.sinceMs > dayMs
        ? { sinceMs: nowMs, bytes: 0 }
        : before;
    if (day.bytes + bytes > addedInADay) return false;
    this.#added.set(agent, { ...day, bytes: day.bytes + bytes });
    return true;
  }
}

async function unpacked(packed: Uint8Array, maxBytes: number): Promise<Uint8Array | undefined> {
  try {
    return await promisify(gunzip)(packed, { maxOutputLength: maxBytes });
  } catch {
    return undefined;
  }
}

async function writeWithFolder(path: string, bytes: Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeFile(path, bytes, { mode: 0o600 });
}

async function isThere(path: string): Promise<boolean> {
  return await stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}
