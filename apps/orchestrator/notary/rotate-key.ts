// `orchestrator --rotate-key`: for the command line. Another key takes the place of the notary's,
// which the notary itself does at its next look.
import { setTimeout } from "node:timers/promises";
import { SettError } from "../../../lib/model/errors.ts";
import type { InstanceName } from "../../../lib/model/ids.ts";
import { verifierKeyText } from "../../../lib/proof/note.ts";
import { makeNextKeys, nextKeys, ownKeys } from "./own-keys.ts";
import type { SealedFiles } from "./sealed-files.ts";

/** The notary looks each second. */
const maxWaitMs = 20_000;
const lookEveryMs = 100;

/**
 * `size`: of the checkpoint that both keys have signed. Where an order before this one was not
 * carried out yet, this is about the same key. Throws `not-ready` where it is not carried out in
 * time.
 */
export async function rotateKey(
  files: SealedFiles,
  instance: InstanceName,
): Promise<{ size: number; key: string }> {
  const before = await ownKeys(files, instance);
  await makeNextKeys(files);
  for (const stopMs = performance.now() + maxWaitMs; performance.now() < stopMs; ) {
    const keys = await ownKeys(files, instance);
    const { size } = keys.rotations.at(-1) ?? {};
    const isDone = keys.rotations.length > before.rotations.length;
    if (isDone && size !== undefined && (await nextKeys(files, keys)) === undefined)
      return { size, key: verifierKeyText(keys.signer) };
    await setTimeout(lookEveryMs);
  }
  throw new SettError("not-ready", "The notary has not exchanged its key yet, and will do so.", {
    hint: `\`sett logs notary --name ${instance}\` may show why. \`sett audit key\` prints its present one.`,
  });
}
