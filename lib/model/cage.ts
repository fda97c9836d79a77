// The cage of an agent's commands in their container: planned by `sett up`, and tried by the cub
// before it takes work.
import { z } from "zod";

const Amount = z.int().nonnegative();

/**
 * Sizes are bytes. `network`: `none` has no way to anything outside of the container, and `closed`
 * one to services of the instance alone. `policies` is closed by rules of a cluster, which only a
 * network plug-in enforces: then the cluster's API server is out of reach.
 */
export const Cage = z.strictObject({
  network: z.enum(["none", "closed", "policies", "open"]),
  limits: z.strictObject({
    openFiles: Amount.optional(),
    fileBytes: Amount.optional(),
    pendingSignals: Amount.optional(),
    queueBytes: Amount.optional(),
  }),
});
export type Cage = z.infer<typeof Cage>;
