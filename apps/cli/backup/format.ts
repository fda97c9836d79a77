// The format of back-ups: a tar archive, so that a person can look into it, and take out by hand
// what Redis and git could read.
import { z } from "zod";
import { InstanceName } from "../../../lib/model/ids.ts";

/** The first entry. Programs that know only earlier formats refuse a larger number. */
export const Manifest = z.object({
  sett_backup: z.literal(1),
  /** The version of the program that has written it. */
  version: z.string(),
  instance: InstanceName,
  /** The id of the instance (lib/runtime/instance-id.ts). */
  id: z.string().regex(/^[0-9a-f]+\.\d+$/),
  created_at: z.string(),
  /** The log at that moment, at least: it may be a little longer. */
  log: z.object({ logged: z.number().int(), end: z.string().regex(/^(?:\d+-\d+|0)$/) }).optional(),
});
export type Manifest = z.infer<typeof Manifest>;

/**
 * The last entry. `sha256`: of the lines that `sha256sum` would print of all entries before it, in
 * their order.
 */
export const Seal = z.object({
  entries: z.number().int(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
export type Seal = z.infer<typeof Seal>;

export const manifestName = "manifest.json";
export const sealName = "seal.json";
/** Redis' append-only files, with its list of them. */
export const blackboardFolder = "blackboard/";
/** Goals and results, as a file of git. */
export const resultsName = "results.bundle";
/** The bodies of calls of models, and what commands have printed. */
export const recordFolder = "record/";
/** The sealed log, the keys of its notary, and what it has attested. */
export const proofFolder = "proof/";

/** Keys of models and secrets, each in the clear; none unless they were asked for. */
export const keysFolder = "keys/";

/** No other names are in a back-up, so that none leads out of where it is written to. */
const known = [
  /^(?:manifest|seal)\.json$/,
  /^blackboard\/appendonly\.aof\.(?:\d{1,9}\.(?:base|incr)\.(?:rdb|aof)|manifest)$/,
  /^results\.bundle$/,
  /^record\/[0-9a-f]{2}\/[0-9a-f]{62}\.gz$/,
  /^record\/outputs\/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\/[0-9a-f]{64}\.gz$/,
  /^proof\/(?:key|attestation-key|next-keys|attestations\/[0-9a-f]{64})$/,
  /^proof\/anchors\/(?:new|sealed)\/\d{1,15}$/,
  /^proof\/(?:checkpoint|goals\/(?:none\/-|[0-9a-f]{2}\/[0-9a-f-]{36}))$/,
  /^proof\/(?:entries|records|tile\/\d)\/(?:x\d{3}\/){0,5}\d{3}$/,
  /^keys\/models\/[a-z0-9][a-z0-9._-]{0,39}$/,
  /^keys\/secrets\/[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/,
];

export function isKnownName(name: string): boolean {
  return known.some((pattern) => pattern.test(name));
}
