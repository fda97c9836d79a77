// Makes one digest of what a command has left in a folder: of names, kinds, modes and contents, and
// not of times or of the order in which a folder lists them.
import { createHash, type Hash } from "node:crypto";
import { createReadStream, lstatSync, readFileSync, type Stats } from "node:fs";
import { chmod, readlink } from "node:fs/promises";
import { entriesOf, type FolderEntry, type Path } from "../../folders/folder-entries.ts";
import { removeTree } from "../../folders/remove-tree.ts";
import type { PreparedContent } from "../../model/prepare.ts";

const wholeBytes = 1024 ** 2;
const [ownerMayList, ownerMayRead, programMode] = [0o700, 0o400, 0o100];

/** Gets each file in pieces, which follow each other, and each link with what it leads to. */
type OnPiece = (piece: Uint8Array, path: Path) => void;

/**
 * Nothing may change the folder meanwhile. What its owner has closed is opened, and repositories
 * are removed: git would take the folder that has one for a submodule.
 */
export async function readContent(
  folder: Path,
  onPiece: OnPiece = () => {},
): Promise<PreparedContent> {
  const hash = createHash("sha256");
  const sum = { files: 0, bytes: 0, onPiece };
  await addFolder(folder, hash, sum);
  return { digest: `sha256:${hash.digest("hex")}`, files: sum.files, bytes: sum.bytes };
}

type Sum = { files: number; bytes: number; onPiece: OnPiece };

async function addFolder(folder: Path, hash: Hash, sum: Sum): Promise<void> {
  await allow(folder, ownerMayList);
  const entries: FolderEntry[] = [];
  for await (const entry of entriesOf(folder))
    if (entry.name === ".git") await removeTree(entry.path);
    else entries.push(entry);
  entries.sort((one, other) => Buffer.compare(Buffer.from(one.name), Buffer.from(other.name)));
  for (const { name, path, kind } of entries) {
    const stats = kind === "file" ? await allow(path, ownerMayRead) : undefined;
    const isProgram = ((stats?.mode ?? 0) & programMode) > 0;
    hash.update(`${isProgram ? "program" : kind} ${Buffer.from(name).length} `).update(name);
    if (kind === "folder") await addFolder(path, hash, sum);
    else if (kind === "link") {
      const target = await readlink(path as string, { encoding: "buffer" });
      hash.update(target);
      sum.onPiece(target, path);
    } else if (stats !== undefined) hash.update(await contentOf(path, stats.size, sum));
    hash.update("\n");
  }
}

/** A stream for each file would take ten times as long: packages have thousands of small ones. */
async function contentOf(path: Path, size: number, sum: Sum): Promise<Buffer> {
  const own = createHash("sha256");
  const take = (piece: Uint8Array) => {
    own.update(piece);
    sum.onPiece(piece, path);
  };
  if (size <= wholeBytes) take(readFileSync(path));
  else for await (const piece of createReadStream(path)) take(piece);
  sum.files += 1;
  sum.bytes += size;
  return own.digest();
}

async function allow(path: Path, rights: number): Promise<Stats> {
  const stats = lstatSync(path);
  if ((stats.mode & rights) !== rights) await chmod(path, (stats.mode & 0o7777) | rights);
  return stats;
}
