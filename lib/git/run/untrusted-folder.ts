// A folder that agents write to, read by the host while they may be changing it.
//
// An agent may put anything there: a link to another repository, a pipe without a writer, a file of
// terabytes, and something else a moment later. So each step goes from an open folder to one name
// in it, checks what has that name, and accepts only regular files and folders of the same file
// system. A path is never followed as a whole.
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  opendirSync,
  openSync,
  readFileSync,
  readSync,
  type Stats,
} from "node:fs";
import { SettError } from "../../model/errors.ts";

type Kind = "folder" | "file";

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
const flagsOf: Record<Kind, number> = {
  folder: O_RDONLY | O_NOFOLLOW | O_DIRECTORY,
  // Opening a pipe would otherwise wait for a writer.
  file: O_RDONLY | O_NOFOLLOW | O_NONBLOCK,
};
/** Linux has a path to every open folder here, which stays valid when the folder's name changes. */
const descriptors = "/proc/self/fd";

/** A regular file, open for reading. */
export interface UntrustedFile extends Disposable {
  readonly fd: number;
  readonly size: number;
  /**
   * Identifies the file and its content, whatever its name; a file that is changed meanwhile gets
   * another one.
   */
  readonly identity: string;
}

export class UntrustedFolder implements Disposable {
  readonly #path: string;
  readonly #fd: number;
  readonly #parent: UntrustedFolder | undefined;
  readonly #hasDescriptors: boolean;

  private constructor(
    path: string,
    fd: number,
    parent: UntrustedFolder | undefined,
    canUseDescriptors: boolean,
  ) {
    this.#path = path;
    this.#fd = fd;
    this.#parent = parent;
    this.#hasDescriptors = canUseDescriptors;
  }

  /**
   * Undefined when there is none. Throws git-failed when something else is there, such as a link.
   * `hasDescriptors`: whether this machine has paths by descriptor, as only Linux has.
   */
  static open(path: string, hasDescriptors = existsSync(descriptors)): UntrustedFolder | undefined {
    const fd = openAs("folder", path, path);
    return fd === undefined ? undefined : new UntrustedFolder(path, fd, undefined, hasDescriptors);
  }

  /**
   * Undefined when there is nothing of that name. Throws git-failed when there is something else
   * than a folder.
   */
  folder(name: string): UntrustedFolder | undefined {
    const fd = this.#open("folder", name);
    return fd === undefined
      ? undefined
      : new UntrustedFolder(`${this.#path}/${name}`, fd, this, this.#hasDescriptors);
  }

  /**
   * Undefined when there is nothing of that name. Throws git-failed for what is no regular file, or
   * larger than that.
   */
  file(name: string, maxBytes: number): UntrustedFile | undefined {
    const fd = this.#open("file", name);
    if (fd === undefined) return undefined;
    const { size, ino, mtimeMs } = fstatSync(fd);
    if (size <= maxBytes)
      return {
        fd,
        size,
        identity: `${ino} ${size} ${mtimeMs}`,
        [Symbol.dispose]: () => closeSync(fd),
      };
    closeSync(fd);
    throw refused(
      `${this.#path}/${name}`,
      `it has ${size} bytes, and no more than ${maxBytes} are read`,
    );
  }

  /** The text of a small file. Undefined and errors as for `file`. */
  text(name: string, maxBytes: number): string | undefined {
    using file = this.file(name, maxBytes);
    return file && readAt(file.fd, 0, file.size).toString("utf8");
  }

  /** The names in this folder, in no order; at most `maxCount` of them. */
  names(maxCount: number): string[] {
    const found: string[] = [];
    const listing = opendirSync(this.#pathTo("."));
    try {
      for (
        let entry = listing.readSync();
        entry !== null && found.length < maxCount;
        entry = listing.readSync()
      )
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
    if (name === "" || name === "." || name === ".." || name.includes("/"))
      throw refused(shown, "that is no name in a folder");
    const fd = openAs(kind, this.#pathTo(name), shown);
    if (fd === undefined) return undefined;
    const isHere = isOnOneFileSystem(fd, this.#fd) && (this.#hasDescriptors || this.#isInPlace());
    if (isHere) return fd;
    closeSync(fd);
    throw refused(shown, "it is on another file system, or was replaced");
  }

  #pathTo(name: string): string {
    if (this.#hasDescriptors) return `${descriptors}/${this.#fd}/${name}`;
    if (!this.#isInPlace()) throw refused(this.#path, "it was replaced while it was read");
    return `${this.#path}/${name}`;
  }

  /** Without paths by descriptor, the names are checked before and after each step. */
  #isInPlace(): boolean {
    const stats = lstatSync(this.#path, { throwIfNoEntry: false });
    const isSame = stats?.isDirectory() === true && isOneFile(stats, fstatSync(this.#fd));
    return isSame && (this.#parent === undefined || this.#parent.#isInPlace());
  }
}

/** At most `bytes` from `position` on; fewer where the file ends. */
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
  if (!isKind(seen, kind))
    throw refused(shown, `it is no ${kind === "file" ? "regular file" : "folder"}`);
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

/**
 * By the device, or by the mount: layered and network file systems give a file another device than
 * its folder, and an agent's own folder is mounted once more where it may write.
 */
function isOnOneFileSystem(one: number, other: number): boolean {
  if (fstatSync(one).dev === fstatSync(other).dev) return true;
  const mount = mountOf(one);
  return mount !== undefined && mount === mountOf(other);
}

function mountOf(fd: number): string | undefined {
  try {
    return /^mnt_id:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, "utf8"))?.[1];
  } catch {
    // Only Linux has it.
    return undefined;
  }
}

function isKind(stats: Stats, kind: Kind): boolean {
  return kind === "file" ? stats.isFile() : stats.isDirectory();
}

function isOneFile(one: Stats, other: Stats): boolean {
  return one.dev === other.dev && one.ino === other.ino;
}

function refused(path: string, why: string, cause?: unknown): SettError {
  const hint = "An agent has changed it. Find out which one before you go on.";
  return new SettError("git-failed", `${path} is not read: ${why}.`, { hint, cause });
}
