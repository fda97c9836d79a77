// A copy of the instance's store in an agent's container, which has what the service has, and
// nothing else.
//
// Commands of the agent are its user and could write there. A file counts only as long as it has
// the inode and the time of change with which it was seen to be right, which no program can set;
// all else goes, before git reads anything of it and after each command.
import { chmod, lstat, mkdir, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { FolderEntry } from "../../folders/folder-entries.ts";
import { removeTree, resetFolder } from "../../folders/remove-tree.ts";
import type { StoreFile } from "../../model/packs.ts";
import { sayingFullDisk } from "../run/full-disk.ts";
import { hashOfFile } from "./file-bytes.ts";
import type { PacksClient } from "./packs-client.ts";

/** A file system may note times in steps of so much: what is changed later has another time. */
const clockStepMs = 20;
const folderMode = 0o755;
const fileMode = 0o444;

type Known = StoreFile & { version: string };

export class StoreCopy {
  readonly path: string;
  readonly #client: PacksClient;
  /** By path. It is kept here, where no command can write to it. */
  #known: ReadonlyMap<string, Known> = new Map();
  #isComplete = false;
  /** Two that ask at the same time wait for one look. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(path: string, client: PacksClient) {
    this.path = path;
    this.#client = client;
  }

  /** The part of the folder's size that the store itself has. */
  get bytes(): number {
    return [...this.#known.values()].reduce((sum, { bytes }) => sum + bytes, 0);
  }

  /** Fetches what is missing here. Throws git-failed. */
  async sync(): Promise<void> {
    await this.#inTurn(() => this.#sync());
  }

  /** The same only where it is needed: the first time, or where anything was changed here. */
  async mend(): Promise<void> {
    await this.#inTurn(async () => {
      if (!this.#isComplete || !(await this.#isWhole())) await this.#sync();
    });
  }

  async #inTurn(job: () => Promise<void>): Promise<void> {
    const now = this.#last.then(job);
    this.#last = now.catch(() => undefined);
    await now;
  }

  async #sync(): Promise<void> {
    const { list } = await this.#client.list();
    this.#isComplete = false;
    await this.#clear(new Set(list.files.map(({ path }) => path)));
    const known = new Map<string, Known>();
    let isNew = false;
    await sayingFullDisk(this.path, async () => {
      // git sees a pack when it sees its index, and the ends of a history are there before.
      for (const file of list.files.toSorted(indexLast)) {
        const there = await this.#found(file);
        isNew ||= there === undefined;
        const version = there ?? (await this.#fetch(file));
        known.set(file.path, { ...file, version });
      }
    });
    if (isNew) await sleep(clockStepMs);
    this.#known = known;
    this.#isComplete = true;
  }

  /** The version of a file that is there and right. */
  async #found({ path, bytes, sha256 }: StoreFile): Promise<string | undefined> {
    const place = join(this.path, path);
    const version = await versionOf(place, bytes);
    if (version === undefined) return undefined;
    const before = this.#known.get(path);
    if (before?.sha256 === sha256 && before.version === version) return version;
    // It was there before this program.
    if ((await hashOfFile(place).catch(() => "")) !== sha256) return undefined;
    await chmod(place, fileMode);
    return await versionOf(place, bytes);
  }

  async #fetch(file: StoreFile): Promise<string> {
    const place = join(this.path, file.path);
    const unfinished = join(this.path, `incoming-${crypto.randomUUID()}`);
    try {
      await mkdir(dirname(place), { recursive: true, mode: folderMode });
      await this.#client.getFile(file.sha256, unfinished);
      await chmod(unfinished, fileMode);
      await rename(unfinished, place);
    } finally {
      await removeTree(unfinished);
    }
    const version = await versionOf(place, file.bytes);
    if (version === undefined) throw new Error(`${place} was changed while it was written.`);
    return version;
  }

  async #isWhole(): Promise<boolean> {
    const removed = await this.#clear(new Set(this.#known.keys()));
    if (removed > 0) return false;
    for (const { path, bytes, version } of this.#known.values())
      if ((await versionOf(join(this.path, path), bytes)) !== version) return false;
    return true;
  }

  /** Removes all but those files, also links in the place of folders. Resolves with how many. */
  async #clear(paths: ReadonlySet<string>): Promise<number> {
    const folders = new Set([...paths].flatMap(foldersOf));
    let removed = 0;
    const clear = async (folder: string, prefix: string): Promise<void> => {
      const inner: string[] = [];
      const isKept = ({ name, kind }: FolderEntry) => {
        const path = typeof name === "string" ? prefix + name : "";
        const isFolder = kind === "folder" && folders.has(path);
        if (isFolder) inner.push(path);
        const isKeptHere = isFolder || (kind === "file" && paths.has(path));
        if (!isKeptHere) removed += 1;
        return isKeptHere;
      };
      await resetFolder(folder, { mode: folderMode, isKept });
      for (const path of inner) await clear(join(this.path, path), `${path}/`);
    };
    await clear(this.path, "");
    return removed;
  }
}

/** `a/b` and `a` of `a/b/c`. */
function foldersOf(path: string): string[] {
  const names = path.split("/");
  return names.slice(1).map((_, at) => names.slice(0, at + 1).join("/"));
}

function indexLast(one: StoreFile, other: StoreFile): number {
  return rankOf(one.path) - rankOf(other.path);
}

function rankOf(path: string): number {
  if (path.includes("info/")) return 0;
  return path.endsWith(".idx") ? 2 : 1;
}

/** Undefined for what is no regular file of that length. */
async function versionOf(path: string, bytes: number): Promise<string | undefined> {
  const stats = await lstat(path, { bigint: true }).catch(() => undefined);
  if (stats?.isFile() !== true || stats.size !== BigInt(bytes)) return undefined;
  return `${stats.ino} ${stats.mode} ${stats.ctimeNs}`;
}
