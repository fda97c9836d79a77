// Keeps what authorities and witnesses say of a checkpoint. The command line, which has a network,
// brings it (`orchestrator --keep-anchor`); the notary seals it.
import { Buffer } from "node:buffer";
import { hash } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { z } from "zod";
import { SettError } from "../../../lib/model/errors.ts";
import type { InstanceName } from "../../../lib/model/ids.ts";
import { anchoredType, ownPlace, type SealedRecord } from "../../../lib/proof/formats.ts";
import { maxTimeStampBytes } from "../../../lib/proof/outside/time-stamp.ts";
import { orderIn } from "../../../lib/service/order-in.ts";
import { ownKeys } from "./own-keys.ts";
import type { SealedFiles } from "./sealed-files.ts";
import { checkpointTextAt } from "./sealed-log.ts";

/** `tsr`: a time stamp, in base64. `cosigned`: the checkpoint with signatures of witnesses. */
const Anchor = z.strictObject({
  checkpoint: z.string(),
  at: z.iso.datetime(),
  tsr: z
    .base64()
    .max(maxTimeStampBytes * 2)
    .optional(),
  cosigned: z.string().max(100_000).optional(),
});
type Anchor = z.infer<typeof Anchor> & { size: number };
/** `index`: of the entry that has sealed it. */
const SealedAnchor = z.strictObject({ ...Anchor.shape, index: z.int() });
export type SealedAnchor = z.infer<typeof SealedAnchor> & { size: number };

/** The notary looks each second. */
const maxWaitMs = 20_000;
const lookEveryMs = 200;

/**
 * Keeps it until the notary has sealed it, and waits for that. `index` is null where it did not
 * happen in time. Throws `usage`, and `not-ready` where the checkpoint is none of this log, or has
 * one already.
 */
export async function keepAnchor(
  files: SealedFiles,
  instance: InstanceName,
  order: string,
): Promise<{ size: number; index: number | null }> {
  const what = { shape: Anchor, what: "What to keep", hint: "Write JSON, as `sett` does." };
  const wanted = orderIn(order, what);
  const keys = await ownKeys(files, instance);
  const size = keys.sizeIn(wanted.checkpoint);
  const text = size === undefined ? undefined : await checkpointTextAt(size, files, keys);
  if (size === undefined || text === undefined || !keys.isOwn(wanted.checkpoint, text))
    throw new SettError("not-ready", "The notary does not know this checkpoint.", {
      hint: "Run the command again.",
    });
  if (!(await files.createAnchor(size, JSON.stringify(wanted))))
    throw new SettError("not-ready", `The log of ${size} entries was anchored a moment ago.`, {
      hint: "Run the command again when something new is on record.",
    });
  for (const stopMs = performance.now() + maxWaitMs; performance.now() < stopMs; ) {
    const sealed = await sealedAnchor(files, size);
    if (sealed !== undefined) return { size, index: sealed.index };
    await setTimeout(lookEveryMs);
  }
  return { size, index: null };
}

/** Lists what the notary has not sealed yet, by rising size. */
export async function newAnchors(files: SealedFiles): Promise<Anchor[]> {
  const sizes = await files.sizesOfAnchors("new");
  return await Promise.all(
    sizes.map(async (size) => {
      const text = (await files.readAnchor("new", size)) ?? "";
      return { ...Anchor.parse(JSON.parse(text)), size };
    }),
  );
}

export async function sealedAnchor(
  files: SealedFiles,
  size: number,
): Promise<SealedAnchor | undefined> {
  const text = await files.readAnchor("sealed", size);
  return text === undefined ? undefined : { ...SealedAnchor.parse(JSON.parse(text)), size };
}

/** Undefined where there is none. */
export async function newestAnchor(files: SealedFiles): Promise<SealedAnchor | undefined> {
  const size = (await files.sizesOfAnchors("sealed")).at(-1);
  return size === undefined ? undefined : await sealedAnchor(files, size);
}

export async function noteSealed(
  files: SealedFiles,
  { size, ...anchor }: Anchor,
  index: number,
): Promise<void> {
  await files.settleAnchor(size, JSON.stringify({ ...anchor, index }));
}

/** The log names its digests, which could not be known earlier. */
export function recordOf({ size, at, tsr, cosigned }: Anchor): Omit<SealedRecord, "salt"> {
  const digests = {
    ...(tsr !== undefined && { tsr: hash("sha256", Buffer.from(tsr, "base64")) }),
    ...(cosigned !== undefined && { cosigned: hash("sha256", cosigned) }),
  };
  return { place: ownPlace, type: anchoredType, event: JSON.stringify({ size, at, ...digests }) };
}
