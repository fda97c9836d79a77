// The facts that decisions are based on beside the log: stored once, under its digest, and named by
// events.
import { z } from "zod";
import { AgentRegistration } from "./agent.ts";

/** SHA-256 of the fact's text, in hexadecimal. */
export const FactDigest = z.string().regex(/^[0-9a-f]{64}$/);
export type FactDigest = z.infer<typeof FactDigest>;

/** JSON: a `Registry`, a `Policy` or `ChangedPaths`. */
export type Fact = { digest: FactDigest; text: string };

/**
 * The digests of the registrations and of the policy that a decision is based on; and of the files
 * that the artefact's change touches, where a rule needs them and they are known.
 */
export type Basis = { registry: FactDigest; policy: FactDigest; paths?: FactDigest };

/** All registered agents, by name. */
export const Registry = z.array(
  AgentRegistration.extend({
    unreadable: z.object({ text: z.string(), problem: z.string() }).optional(),
  }),
);
