// The key of the proof volume.
import { SettError } from "../../../lib/model/errors.ts";
import type { InstanceName } from "../../../lib/model/ids.ts";
import { type SignerKey, signerKey } from "../../../lib/proof/note.ts";
import type { SealedFiles } from "./sealed-files.ts";

/** Throws `not-ready` where the volume has none yet. */
export async function knownKey(files: SealedFiles, instance: InstanceName): Promise<SignerKey> {
  const pem = await files.readText("key");
  if (pem === undefined) throw nothingSealed(instance);
  return signerKey(pem, (sha256) => `${instance}.sett.invalid/${sha256.slice(0, 8)}`);
}

export function nothingSealed(instance: InstanceName): SettError {
  return new SettError("not-ready", "The notary has sealed nothing yet.", {
    hint: `\`sett logs notary --name ${instance}\` may show why.`,
  });
}
