// Remarks of people to work that goes on are written into a file that its command may read. Each
// program of the command may write into it as well: a worker of Sett's own has a key, by which it
// tells the cub's lines from others.
import { createHmac, randomBytes } from "node:crypto";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { inNewFolder } from "../../../lib/folders/new-folder.ts";
import { removeTree } from "../../../lib/folders/remove-tree.ts";

/** A line for each remark. */
export type RemarkFile = AsyncDisposable & {
  /** The command finds them in its environment. */
  readonly variables: Readonly<Record<string, string>>;
  /** `line`: without its line feed. */
  add(line: string): Promise<void>;
};

/**
 * It is empty, and is removed with the work. `hasKey`: each line begins with its mark. Rejects
 * where none can be made.
 */
export async function openRemarkFile({ hasKey }: { hasKey: boolean }): Promise<RemarkFile> {
  const { path, file } = await inNewFolder(join(tmpdir(), "sett-remarks-"), async (folder) => {
    const path = join(folder, "remarks.jsonl");
    // It stays open: what the command puts in its place is never written to.
    return { path, file: await open(path, "ax", 0o600) };
  });
  const key = hasKey ? randomBytes(32).toString("hex") : undefined;
  return {
    variables: { SETT_REMARKS: path, ...(key !== undefined && { SETT_REMARKS_KEY: key }) },
    add: async (line) =>
      await file.appendFile(key === undefined ? `${line}\n` : `${markOf(line, key)} ${line}\n`),
    [Symbol.asyncDispose]: async () => {
      await file.close();
      await removeTree(dirname(path));
    },
  };
}

/** 64 hexadecimal digits. */
export function markOf(line: string, key: string): string {
  return createHmac("sha256", key).update(line).digest("hex");
}
