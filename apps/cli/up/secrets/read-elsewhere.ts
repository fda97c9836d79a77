// Reads how `sett` reaches a Redis that is there already: its address, the password, and the
// authority that has signed its certificate.
import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { SettConfig } from "../../../../lib/model/config.ts";
import { messageOf, SettError } from "../../../../lib/model/errors.ts";
import type { RedisSecrets } from "./redis-secrets.ts";

/**
 * `url`: with user and password; only `sett` itself has it. `shown`: host and port. `ca`:
 * certificates in PEM. `usersFrom`: the text from which the passwords of the instance's users come,
 * where others make these users.
 */
export type Elsewhere = {
  url: string;
  shown: string;
  ca: string | undefined;
  usersFrom: string | undefined;
};

/** It goes into a variable of one part. */
const maxCaBytes = 64 * 1024;

/**
 * Undefined where the instance has a Redis of its own. Throws `config-invalid`.
 */
export async function readElsewhere(
  { services }: Pick<SettConfig, "services">,
  { password, users }: RedisSecrets,
): Promise<Elsewhere | undefined> {
  const { url, ca } = services.redis;
  if (url === undefined) return undefined;
  const parsed = new URL(url);
  if (password !== undefined) parsed.password = encodeURIComponent(password);
  const shown = `${parsed.hostname}:${parsed.port || 6379}`;
  // That name leads to this machine in containers alone. With TLS it has to be the one that is in
  // the certificate.
  if (parsed.protocol === "redis:" && parsed.hostname === "host.docker.internal")
    parsed.hostname = "127.0.0.1";
  return {
    url: parsed.href,
    shown,
    ca: ca === undefined ? undefined : await readCa(ca),
    usersFrom: users,
  };
}

async function readCa(path: string): Promise<string> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (cause) {
    const hint = "Write the file, or change its path in sett.yml.";
    throw invalid(`${path} cannot be read: ${messageOf(cause)}`, hint);
  }
  if (text.length > maxCaBytes) {
    const hint = "Leave in it only the authority that has signed the certificate of Redis.";
    throw invalid(`${path} has more than ${maxCaBytes / 1024} KiB`, hint);
  }
  try {
    new X509Certificate(text);
  } catch {
    throw invalid(`${path} has no certificate in PEM`, "It begins with `-----BEGIN CERTIFICATE`.");
  }
  return text;
}

function invalid(problem: string, hint: string): SettError {
  return new SettError("config-invalid", `services.redis.ca: ${problem}.`, { hint });
}
