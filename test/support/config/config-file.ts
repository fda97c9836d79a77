// A sett.yml in a temporary folder, and what reading it says.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { readConfig } from "../../../lib/config/read-config.ts";
import { SettError } from "../../../lib/model/errors.ts";

export type ConfigFolder = AsyncDisposable & { folder: string; path: string };

/** `files`: relative path → content; `sett.yml` among them or not. */
export async function configFolder(
  files: Record<string, string | Uint8Array>,
): Promise<ConfigFolder> {
  const folder = await mkdtemp(join(tmpdir(), "sett-config-"));
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  return {
    folder,
    path: join(folder, "sett.yml"),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

/**
 * The lines of the error that reading this text gives, the folder's name taken out: `sett.yml:1:10
 * version: must be …`.
 */
export async function mistakesIn(
  text: string | Uint8Array,
  env: Record<string, string> = {},
): Promise<string[]> {
  await using made = await configFolder({ "sett.yml": text });
  const error = await failureOf(readConfig(made.path, env));
  const [, ...lines] = error.message.replaceAll(`${made.folder}/`, "").split("\n");
  return lines.map((line) => line.trim());
}

export async function failureOf(promise: Promise<unknown>): Promise<SettError> {
  const outcome = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (outcome instanceof SettError) return outcome;
  throw new Error(`Expected a SettError, got ${String(outcome)}`);
}

/**
 * A valid file with one agent `a` up to line 5, to which lines of that agent can be added, indented
 * by four spaces.
 */
export const validText = `version: '1.0'
agents:
  a:
    image: debian:bookworm-slim
    command: [run]
`;
