// Takes what of a repository is the user's: every file with its content and times, except objects,
// Sett's refs and Sett's own folder.
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const notTheirs = new Set([".git/objects", ".git/refs/sett", ".git/sett"]);

/** Path → a text that changes when the file is written, replaced or touched. */
export function snapshot(repository: string, below = ""): Record<string, string> {
  const found: Record<string, string> = {};
  for (const entry of readdirSync(join(repository, below), { withFileTypes: true })) {
    const name = join(below, entry.name);
    if (notTheirs.has(name)) continue;
    if (entry.isDirectory()) Object.assign(found, { [name]: "folder" }, snapshot(repository, name));
    else found[name] = stateOf(join(repository, name));
  }
  return found;
}

function stateOf(path: string): string {
  const { mtimeNs, ctimeNs, ino, mode, uid } = lstatSync(path, { bigint: true });
  return [mtimeNs, ctimeNs, ino, mode, uid, readFileSync(path, "base64")].join(" ");
}
