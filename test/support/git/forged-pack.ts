// Packs whose index gives an object the name of another one. Git believes it: it hashes what comes
// from elsewhere, and not what it finds in its own store.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { hostEnv, toolGit } from "./sample-repository.ts";

interface Forgery {
  /** Is found by the name of `name`; of SHA-1, as that is. */
  readonly object: string;
  readonly name: string;
  /**
   * Further objects of the pack. Git looks on in the pack in which it has found something, so that
   * these lead there.
   */
  readonly way?: readonly string[];
}

/** Adds a pack to the repository of `folder`, which git reads before all others that it has. */
export function forgePack(folder: string, { object, name, way = [] }: Forgery): void {
  const [hidden, shown, ...more] = [object, name, ...way].map((each) =>
    toolGit(folder, "rev-parse", each),
  );
  const packs = join(folder, ".git/objects/pack");
  const id = execFileSync("git", ["pack-objects", "-q", "--window=0", join(packs, "pack")], {
    ...{ cwd: folder, env: hostEnv, encoding: "utf8" },
    input: [hidden, ...more].map((each) => `${each}\n`).join(""),
  }).trim();
  const path = join(packs, `pack-${id}.idx`);
  chmodSync(path, 0o644);
  writeFileSync(path, renamed(readFileSync(path), hidden, String(shown)));
  const later = Date.now() / 1_000 + 1_000;
  utimesSync(join(packs, `pack-${id}.pack`), later, later);
}

/** The same index (version 2), in which another name is in the place of one. */
function renamed(index: Buffer, from: string | undefined, to: string): Buffer {
  const [fanOut, names] = [8, 8 + 256 * 4];
  const count = index.readUInt32BE(names - 4);
  const [sums, offsets] = [names + count * 20, names + count * 24];
  const entries = Array.from({ length: count }, (_, at) => {
    const name = index.toString("hex", names + at * 20, names + at * 20 + 20);
    const [sum, offset] = [index.readUInt32BE(sums + at * 4), index.readUInt32BE(offsets + at * 4)];
    return { name: name === from ? to : name, sum, offset };
  });
  entries.sort((one, two) => (one.name < two.name ? -1 : 1));
  for (const [at, { name, sum, offset }] of entries.entries()) {
    index.write(name, names + at * 20, "hex");
    index.writeUInt32BE(sum, sums + at * 4);
    index.writeUInt32BE(offset, offsets + at * 4);
  }
  for (let at = 0; at < 256; at++) {
    const upTo = entries.filter((entry) => Number.parseInt(entry.name.slice(0, 2), 16) <= at);
    index.writeUInt32BE(upTo.length, fanOut + at * 4);
  }
  createHash("sha1")
    .update(index.subarray(0, -20))
    .digest()
    .copy(index, index.length - 20);
  return index;
}
