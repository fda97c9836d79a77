// The certificate of the API and its key: files that `sett up` puts there when the container runs,
// and that stay there.
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { orderIn } from "../../lib/service/order-in.ts";
import type { Settings } from "./settings.ts";
import { untilGiven } from "./until-given.ts";

type Tls = { cert: string; key: string };

/** Waits for them. Undefined where the settings name none. Throws `not-ready`. */
export async function readTls(
  { tls }: Pick<Settings, "tls">,
  signal: AbortSignal,
): Promise<Tls | undefined> {
  if (tls === undefined) return undefined;
  const read = async () => {
    const [cert, key] = await Promise.all(
      [tls.certificate, tls.key].map((file) => readFile(file, "utf8").catch(() => undefined)),
    );
    return cert === undefined || key === undefined ? undefined : { cert, key };
  };
  return await untilGiven(
    read,
    `There is no certificate ${tls.certificate}, or no key ${tls.key}.`,
    signal,
  );
}

const Files = z.object({ cert: z.string().min(1), key: z.string().min(1) });

/**
 * `api --put-tls`: writes what it reads on stdin, each file in one step, the certificate last. The
 * files of one certificate before it stay, for a `sett up` that is undone. Throws `usage`, without
 * a part of the text.
 */
export async function putTls(
  { certificate, key }: NonNullable<Settings["tls"]>,
  text: string,
): Promise<void> {
  const files = parse(text);
  const folder = dirname(certificate);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const [file, content] of [
    [key, files.key],
    [certificate, files.cert],
  ] as const) {
    const draft = join(folder, `.${basename(file)}.new`);
    await writeFile(draft, content, { mode: 0o600 });
    await rename(draft, file);
  }
  await removeOlder(folder, [basename(certificate), basename(key)]);
}

/** How many files of earlier certificates stay: one pair. */
const keptFiles = 2;

async function removeOlder(folder: string, present: readonly string[]): Promise<void> {
  const others = (await readdir(folder)).filter(
    (name) => !present.includes(name) && /\.(?:crt|key)$/.test(name),
  );
  if (others.length <= keptFiles) return;
  for (const name of others) await rm(join(folder, name), { force: true });
}

function parse(text: string): Tls {
  return orderIn(text, {
    shape: Files,
    what: "The certificate",
    hint: 'Write JSON: {"cert":"…","key":"…"}',
  });
}
