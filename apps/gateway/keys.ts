// The providers' keys: one file for each model, in a folder that only the gateway has. The keeper
// has such folders of secrets.
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { ModelName } from "../../lib/model/config-models.ts";
import { orderIn } from "../../lib/service/order-in.ts";

export class KeyFolder {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Undefined where the model has no key. It is read for each call, so that a changed key needs no
   * restart.
   */
  async read(model: string): Promise<string | undefined> {
    try {
      // The file is small and in memory: waiting for it would take longer than reading it.
      return readFileSync(join(this.#folder, model), "utf8").trim() || undefined;
    } catch {
      return undefined;
    }
  }

  /** The names of the models that have a key. */
  async names(): Promise<Set<string>> {
    const names = await readdir(this.#folder).catch(() => []);
    return new Set(names.filter((name) => ModelName.safeParse(name).success));
  }

  /** Writes these keys, each in one step, and removes all others. */
  async put(keys: ReadonlyMap<string, string | Uint8Array>): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const before = await readdir(this.#folder);
    for (const [name, key] of keys) {
      // No name begins with a dot.
      const draft = join(this.#folder, `.${randomUUID()}`);
      await writeFile(draft, key, { mode: 0o600 });
      await rename(draft, join(this.#folder, name));
    }
    await Promise.all(
      before
        .filter((name) => !keys.has(name))
        .map((name) => rm(join(this.#folder, name), { force: true })),
    );
  }
}

/** The headers of a server's requests begin with a sign that no model's name has. */
const HeadersName = z.string().regex(/^\+[a-z0-9_-]{1,24}$/);
const Keys = z.record(z.union([ModelName, HeadersName]), z.string().min(1));

/**
 * `text`: JSON, model → key, and the files with headers of MCP servers. Throws `usage`, without a
 * part of the text.
 */
export function parseKeys(text: string): Map<string, string> {
  const hint = 'Write JSON with a key for each model: {"strong":"…"}';
  return new Map(Object.entries(orderIn(text, { shape: Keys, what: "The keys", hint })));
}
