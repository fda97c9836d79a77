// Reads the certificate of the API and its private key on this machine, and refuses what would only
// fail in the container.
import { createHash, createPrivateKey, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { SettConfig } from "../../../../lib/model/config.ts";
import { messageOf, SettError } from "../../../../lib/model/errors.ts";

/** `id`: a digest of both, which says that they have changed. `cert`, `key`: PEM. */
export type Certificate = { id: string; cert: string; key: string };

/** A sentence for each thing that is allowed, and yet no good. */
type ReadTls = { tls: Certificate | undefined; warnings: string[] };

const dayMs = 86_400_000;
const soonDays = 14;

/**
 * `tls`: undefined where the API has no certificate. Throws `config-invalid`, without a part of the
 * key.
 */
export async function readTls(
  { services }: Pick<SettConfig, "services">,
  nowMs: number,
): Promise<ReadTls> {
  const { tls } = services.api ?? {};
  if (tls === undefined || tls === "none") return { tls: undefined, warnings: [] };
  const [cert, key] = [await fileOf("cert", tls.cert), await fileOf("key", tls.key)];
  const certificate = parsed("cert", tls.cert, () => new X509Certificate(cert));
  const privateKey = parsed("key", tls.key, () => createPrivateKey(key));
  if (!certificate.checkPrivateKey(privateKey)) {
    throw invalid(
      "key",
      `${tls.key} is not the key of the certificate ${tls.cert}`,
      "Name the two files that were made together.",
    );
  }
  const days = Math.floor((Date.parse(certificate.validTo) - nowMs) / dayMs);
  const id = createHash("sha256").update(`${cert}\0${key}`).digest("hex").slice(0, 32);
  return { tls: { id, cert, key }, warnings: days > soonDays ? [] : [expiry(tls.cert, days)] };
}

function expiry(file: string, days: number): string {
  const when =
    days < 0
      ? "has expired: clients refuse it"
      : `expires in ${days} ${days === 1 ? "day" : "days"}`;
  return `The certificate of the API ${when}. Renew ${file}, and run \`sett up\` again.`;
}

async function fileOf(key: "cert" | "key", path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    throw invalid(
      key,
      `${path} cannot be read: ${messageOf(cause)}`,
      "Write the file, or change its path in sett.yml.",
    );
  }
}

function parsed<Value>(key: "cert" | "key", path: string, parse: () => Value): Value {
  try {
    return parse();
  } catch {
    const kind = key === "cert" ? "certificate" : "private key without a password";
    throw invalid(key, `${path} is no ${kind} in PEM`, "It begins with `-----BEGIN`.");
  }
}

function invalid(key: "cert" | "key", problem: string, hint: string): SettError {
  return new SettError("config-invalid", `services.api.tls.${key}: ${problem}.`, { hint });
}
