// Files that are not committed, for people: the first ones, one a line.
import type { DirtyFile } from "../../git/dirty-files.ts";
import { oneLine } from "../text/plain-text.ts";

const listedFiles = 20;

export function listDirty(dirty: readonly DirtyFile[]): string {
  const lines = dirty.slice(0, listedFiles).map(({ state, path }) => `  ${state} ${oneLine(path)}`);
  if (dirty.length > listedFiles) lines.push(`  … and ${dirty.length - listedFiles} more`);
  return lines.join("\n");
}
