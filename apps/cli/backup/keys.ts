// Keys of models and secrets in a back-up: only where a person has asked for them.
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { readConfig } from "../../../lib/config/read-config.ts";
import { usedSecrets } from "../../../lib/config/resolve-secrets.ts";
import { SettError } from "../../../lib/model/errors.ts";
import { findConfig } from "../program/config-path.ts";
import { readSource } from "../program/secret-source.ts";
import { exists } from "../program/workspace-root.ts";
import type { Shell } from "../terminal/shell.ts";
import { keysFolder } from "./format.ts";
import { type Backup, filesIn } from "./read.ts";

/** By the name of their entry below `keys/`: `models/NAME` or `secrets/NAME`. */
export type Keys = ReadonlyMap<string, Uint8Array>;

/**
 * Reads what `sett up` would read here: the values that the repository's sett.yml names. Throws
 * `config-missing`, `config-invalid` and `interrupted`.
 */
export async function readKeys(shell: Shell, workspace: string): Promise<Keys> {
  const { env, interrupted: signal, messages } = shell;
  const { file, name } = await findConfig({ cwd: workspace, env }, undefined);
  const path = resolve(workspace, file);
  const { config } = await readConfig(path, env, name === undefined ? {} : { name });
  const machine = { folder: dirname(path), env, signal, onSlow: messages.note };
  const keys = new Map<string, Uint8Array>();
  for (const [model, key] of Object.entries(config.models.keys))
    keys.set(`models/${model}`, Buffer.from(key));
  // One after the other: the commands of two may both ask for a password.
  for (const secret of usedSecrets(config)) {
    const source = config.secrets[secret];
    if (source === undefined) continue;
    keys.set(`secrets/${secret}`, (await readSource(secret, source, machine)).value);
  }
  return keys;
}

/** Throws `usage`, before anything has changed. */
export async function requireKeys(backup: Backup, folder: string): Promise<void> {
  if (backup.keys.length === 0) {
    throw new SettError("usage", `${backup.path} has no keys.`, {
      hint: "Leave --keys out. `sett backup FILE --keys` would have put them into it.",
    });
  }
  if (!(await exists(folder))) return;
  throw new SettError("usage", `${folder} exists already.`, {
    hint: "Name a new folder with --keys, outside of the repository.",
  });
}

/** Each value in a file of its own, for their owner alone. */
export async function writeKeys({ path }: Backup, folder: string): Promise<void> {
  await mkdir(folder, { mode: 0o700 });
  for await (const { path: name, content } of filesIn(path, keysFolder)) {
    const file = join(folder, name);
    await mkdir(dirname(file), { recursive: true, mode: 0o700 });
    await writeFile(file, Buffer.concat(await Array.fromAsync(content)), { mode: 0o600 });
  }
}
