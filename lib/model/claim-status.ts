// The states of a claim.
import { z } from "zod";

/** `pending_review` also while bids come in. */
export const ClaimStatus = z.enum([
  "pending_review",
  "pending_parallel",
  "pending_exclusive",
  "complete",
  "terminated",
]);
export type ClaimStatus = z.infer<typeof ClaimStatus>;
