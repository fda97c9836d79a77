// The secrets of webhooks: files that `sett up` puts there when the container runs, and that stay
// there.
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { SecretName } from "../../lib/model/config-secrets.ts";
import { orderIn } from "../../lib/service/order-in.ts";

/** Read at each delivery, so that another value counts at once. Undefined where it is not there. */
export async function readHookSecret(folder: string, name: string): Promise<string | undefined> {
  try {
    return await readFile(join(folder, SecretName.parse(name)), "utf8");
  } catch {
    return undefined;
  }
}

/** Values in base64, by name. */
const Given = z.record(SecretName, z.base64());

/**
 * `api --put-secrets`: writes what comes on stdin, and removes what is not among it. Throws
 * `usage`, without a part of the text.
 */
export async function putHookSecrets(folder: string, text: string): Promise<void> {
  const values = parse(text);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const [name, value] of Object.entries(values)) {
    // No name of a secret begins with a point.
    const draft = join(folder, `.${name}.new`);
    await writeFile(draft, Buffer.from(value, "base64"), { mode: 0o600 });
    await rename(draft, join(folder, name));
  }
  for (const name of await readdir(folder))
    if (!Object.hasOwn(values, name)) await rm(join(folder, name), { force: true });
}

function parse(text: string): Record<string, string> {
  return orderIn(text, {
    shape: Given,
    what: "The secrets",
    hint: 'Write JSON: {"NAME":"base64"}',
  });
}
