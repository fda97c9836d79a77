// The folder in which the docker command line keeps what a person has set, and how it reads it.
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { messageOf } from "../../model/errors.ts";
import { parseJson } from "../../model/json.ts";

export type HostEnvironment = Readonly<Record<string, string | undefined>>;

export function configFolder(env: HostEnvironment): string {
  return env.DOCKER_CONFIG || join(homeOf(env), ".docker");
}

/** Undefined where it is not there, or is no JSON. */
export async function readDockerConfig(env: HostEnvironment): Promise<unknown> {
  return await readJson(join(configFolder(env), "config.json"));
}

/** Says what keeps docker from going by that file; undefined where it is not there, or is read. */
export async function unreadableConfig(env: HostEnvironment): Promise<string | undefined> {
  const file = join(configFolder(env), "config.json");
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => error);
  if (typeof text === "string")
    return text.trim() === "" || parseJson(text) !== undefined ? undefined : `${file} is no JSON`;
  const isMissing = /^ENO(?:ENT|TDIR)$/.test(text.code ?? "");
  return isMissing ? undefined : `${file} cannot be read: ${messageOf(text)}`;
}

export function homeOf(env: HostEnvironment): string {
  return env.HOME || homedir();
}

export async function readJson(file: string): Promise<unknown> {
  return parseJson(await readFile(file, "utf8").catch(() => ""));
}

/** The text at this path of keys; undefined where the document has another shape. */
export function textIn(document: unknown, ...keys: readonly string[]): string | undefined {
  const found = keys.reduce(memberOf, document);
  return typeof found === "string" ? found : undefined;
}

/** docker takes a key in any case. */
export function memberOf(document: unknown, key: string): unknown {
  if (typeof document !== "object" || document === null) return undefined;
  const found = Object.entries(document).findLast(
    ([name]) => name.toLowerCase() === key.toLowerCase(),
  );
  return found?.[1];
}
