// Finds the packs of the exchange that hold a commit, according to their own indexes.
import type { CommitHash } from "../model/ids.ts";
import { type FolderOfAgents, readAt } from "./folder-of-agents.ts";

/** More files than cubs ever make. */
const maxNames = 400_000;
const maxIndexBytes = 1024 * 1024 * 1024;
/** So many packs are tried for a commit: more than one is chance, many are an attack. */
const maxPacksPerCommit = 8;

const header = Buffer.from([0xff, 0x74, 0x4f, 0x63, 0, 0, 0, 2]);
const fanOutBytes = 256 * 4;

/** The names of packs, without their ending. An index is only a hint: unpacking a pack shows what is in it. */
export function findPacks(packs: FolderOfAgents, commits: ReadonlySet<CommitHash>): Map<CommitHash, string[]> {
  const found = new Map<CommitHash, string[]>();
  const seen = new Set<number>();
  for (const name of packs.names(maxNames)) {
    const [, pack] = /^(pack-(?:[0-9a-f]{40}|[0-9a-f]{64}))\.idx$/.exec(name) ?? [];
    if (pack === undefined) continue;
    for (const commit of commitsInPack(packs, name, commits, seen)) {
      const others = found.get(commit) ?? [];
      if (others.length < maxPacksPerCommit) found.set(commit, [...others, pack]);
    }
  }
  return found;
}

/** Empty for an index that cannot be read: a commit that is in no other pack is then reported as missing. */
function commitsInPack(
  packs: FolderOfAgents,
  name: string,
  commits: ReadonlySet<CommitHash>,
  seen: Set<number>,
): readonly CommitHash[] {
  try {
    using index = packs.file(name, maxIndexBytes);
    if (index === undefined || seen.has(index.inode)) return [];
    seen.add(index.inode);
    return inIndex(index.fd, commits);
  } catch {
    return [];
  }
}

/** Those of the commits that an index of version 2 lists. */
export function inIndex(fd: number, commits: ReadonlySet<CommitHash>): CommitHash[] {
  const head = readAt(fd, 0, header.length + fanOutBytes);
  if (head.length < header.length + fanOutBytes || !head.subarray(0, header.length).equals(header)) return [];
  return [...commits].filter((commit) => {
    const wanted = Buffer.from(commit, "hex");
    const first = wanted.readUInt8(0);
    const upTo = (byte: number) => (byte < 0 ? 0 : head.readUInt32BE(header.length + byte * 4));
    let [low, high] = [upTo(first - 1), upTo(first)];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      const order = Buffer.compare(readAt(fd, head.length + middle * wanted.length, wanted.length), wanted);
      if (order === 0) return true;
      if (order < 0) low = middle + 1;
      else high = middle;
    }
    return false;
  });
}
