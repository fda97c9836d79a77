// A folder that agents write to, read by the host while they may be changing it.
//
// Nothing in there is what it seems: a name may be a link to another repository, a pipe that nobody writes to, a file of
// terabytes, and something else a moment later. So each step goes from an open folder to one name in it, looks at that name
// first, and takes regular files and folders of the same device alone. A path is never followed as a whole.
import { closeSync, constants, existsSync, fstatSync, lstatSync, opendirSync, openSync, readSync, type Stats } from "node:fs";
import { SettError } from "../model/errors.ts";

type Kind = "folder" | "file";

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
const flagsOf: Record<Kind, number> = {
  folder: O_RDONLY | O_NOFOLLOW | O_DIRECTORY,
  // A pipe would otherwise be waited for.
  file: O_RDONLY | O_NOFOLLOW | O_NONBLOCK,
};
/** Where an open folder has a way to it that stays its own, whatever becomes of its name. */
const descriptors = "/proc/self/fd";

/** A regular file, open for reading. */
export interface FileOfAgents extends Disposable {
  readonly fd: number;
  readonly size: number;
  /** Names the file itself, whatever it is called. */
  readonly inode: number;
}

export class FolderOfAgents implements Disposable {
  readonly #path: string;
  readonly #fd: number;
  readonly #parent: FolderOfAgents | undefined;
  readonly #hasDescriptors: boolean;

  private constructor(path: string, fd: number, parent: FolderOfAgents | undefined, canUseDescriptors: boolean) {
    this.#path = path;
    this.#fd = fd;
    this.#parent = parent;
    this.#hasDescriptors = canUseDescriptors;
  }

  /**
   * Undefined when there is none. Throws git-failed when something else stands there, such as a link. `hasDescriptors`: whether this
   * machine has a way by descriptor, which Linux alone has.
   */
  static open(path: string, hasDescriptors = existsSync(descriptors)): FolderOfAgents | undefined {
    const fd = openAs("folder", path, path);
    return fd === undefined ? undefined : new FolderOfAgents(path, fd, undefined, hasDescriptors);
  }

  /** Undefined when there is nothing of that name. Throws git-failed when there is something else than a folder. */
  folder(name: string): FolderOfAgents | undefined {
    const fd = this.#open("folder", name);
    return fd === undefined ? undefined : new FolderOfAgents(`${this.#path}/${name}`, fd, this, this.#hasDescriptors);
  }

  /** Undefined when there is nothing of that name. Throws git-failed for what is no regular file, or larger than that. */
  file(name: string, maxBytes: number): FileOfAgents | undefined {
    const fd = this.#open("file", name);
    if (fd === undefined) return undefined;
    const { size, ino } = fstatSync(fd);
    if (size <= maxBytes) return { fd, size, inode: ino, [Symbol.dispose]: () => closeSync(fd) };
    closeSync(fd);
    throw refused(`${this.#path}/${name}`, `it has ${size} bytes, and no more than ${maxBytes} are read`);
  }

  /** The text of a small file. As above. */
  text(name: string, maxBytes: number): string | undefined {
    using file = this.file(name, maxBytes);
    return file && readAt(file.fd, 0, file.size).toString("utf8");
  }

  /** The names in here, in no order; of more than `most` these are some. */
  names(most: number): string[] {
    const found: string[] = [];
    const listing = opendirSync(this.#way("."));
    try {
      for (let entry = listing.readSync(); entry !== null && found.length < most; entry = listing.readSync())
        found.push(entry.name);
    } finally {
      listing.closeSync();
    }
    return found;
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd);
  }

  #open(kind: Kind, name: string): number | undefined {
    const shown = `${this.#path}/${name}`;
    const fd = openAs(kind, this.#way(name), shown);
    if (fd === undefined) return undefined;
    const isHere = fstatSync(fd).dev === fstatSync(this.#fd).dev && (this.#hasDescriptors || this.#standsStill());
    if (isHere) return fd;
    closeSync(fd);
    throw refused(shown, "it lies elsewhere");
  }

  #way(name: string): string {
    if (this.#hasDescriptors) return `${descriptors}/${this.#fd}/${name}`;
    if (!this.#standsStill()) throw refused(this.#path, "it was replaced while it was read");
    return `${this.#path}/${name}`;
  }

  /** Without a way by descriptor the names are looked at before and after each step. */
  #standsStill(): boolean {
    const stats = lstatSync(this.#path, { throwIfNoEntry: false });
    const isSame = stats?.isDirectory() === true && isOneFile(stats, fstatSync(this.#fd));
    return isSame && (this.#parent === undefined || this.#parent.#standsStill());
  }
}

/** At most `bytes` from there on; fewer where the file ends. */
export function readAt(fd: number, position: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes);
  let length = 0;
  while (length < bytes) {
    const read = readSync(fd, buffer, length, bytes - length, position + length);
    if (read === 0) break;
    length += read;
  }
  return buffer.subarray(0, length);
}

function openAs(kind: Kind, way: string, shown: string): number | undefined {
  const seen = lstatSync(way, { throwIfNoEntry: false });
  if (seen === undefined) return undefined;
  if (!isKind(seen, kind)) throw refused(shown, `it is no ${kind === "file" ? "regular file" : "folder"}`);
  let fd: number;
  try {
    fd = openSync(way, flagsOf[kind]);
  } catch (cause) {
    throw refused(shown, "it cannot be opened", cause);
  }
  if (isOneFile(seen, fstatSync(fd))) return fd;
  closeSync(fd);
  throw refused(shown, "it was replaced while it was read");
}

function isKind(stats: Stats, kind: Kind): boolean {
  return kind === "file" ? stats.isFile() : stats.isDirectory();
}

function isOneFile(one: Stats, other: Stats): boolean {
  return one.dev === other.dev && one.ino === other.ino;
}

function refused(path: string, why: string, cause?: unknown): SettError {
  const hint = "An agent has put something of its own there. Find out which before you go on.";
  return new SettError("git-failed", `${path} is not read: ${why}.`, { hint, cause });
}
