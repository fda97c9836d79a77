// The key of the page's sessions: one that outlives the process, where there is a place for it, so
// that a person need not sign in again.
import { randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

const bytes = 32;

/**
 * `hex`: the key itself, where the settings have it; `folder`: for this process alone. Undefined
 * without either.
 */
export async function sessionKeyOf(
  hex: string | undefined,
  folder: string | undefined,
): Promise<Buffer | undefined> {
  if (hex !== undefined) return Buffer.from(hex, "hex");
  if (folder === undefined) return undefined;
  const file = join(folder, "session-key");
  await mkdir(folder, { recursive: true });
  // An existing one stays.
  await writeFile(file, randomBytes(bytes), { mode: 0o600, flag: "wx" }).catch(() => undefined);
  const key = await readFile(file);
  return key.length === bytes ? key : undefined;
}
