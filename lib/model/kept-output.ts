// The output of a command, as the record names it: the bodies themselves are on the record's
// volume.
import { z } from "zod";

/** A SHA-256 in hexadecimal. */
export const Digest = z.string().regex(/^[0-9a-f]{64}$/);
export type Digest = z.infer<typeof Digest>;

/**
 * `digest`: of the kept bytes. `bytes`: how many were printed. `left_out`: how many of them are not
 * kept, from the middle.
 */
export const KeptStream = z.strictObject({
  digest: Digest,
  bytes: z.int().min(0),
  left_out: z.int().min(1).optional(),
});
export type KeptStream = z.infer<typeof KeptStream>;

/** A stream without a word is left out. */
export const KeptOutput = z.strictObject({
  stdout: KeptStream.optional(),
  stderr: KeptStream.optional(),
});
export type KeptOutput = z.infer<typeof KeptOutput>;

/** The streams of a command, in the order in which people read them. */
export const streamNames = ["stdout", "stderr"] as const;
export type StreamName = (typeof streamNames)[number];

/** 16 MiB: how much of the output of one grant is kept, where sett.yml says nothing. */
export const defaultOutputBytes = 16 * 1024 * 1024;
/** A command that prints more to each of its streams than half of this is ended. */
export const maxOutputBytes = 64 * 1024 * 1024;
/** A body that was cut has a line with the count in it. */
export const roomForCount = 64;
