// What confines an agent's commands in their container: planned by `sett up`, and tried by the cub
// before it takes work.
import { z } from "zod";

const Amount = z.int().nonnegative();

/** Sizes are bytes. `network`: `none` has no way to anything outside of the container. */
export const Cage = z.strictObject({
  network: z.enum(["none", "open"]),
  limits: z.strictObject({
    openFiles: Amount.optional(),
    fileBytes: Amount.optional(),
    pendingSignals: Amount.optional(),
    queueBytes: Amount.optional(),
  }),
});
export type Cage = z.infer<typeof Cage>;
