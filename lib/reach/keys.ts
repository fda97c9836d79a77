// The keys of a service that is reached by TLS. One key is the service's own; all others follow
// from it, so that nothing but that one is stored, and no agent's key says anything of another's.
import { createHmac } from "node:crypto";

/**
 * The key with which one of the service's callers proves who it is, in hexadecimal digits.
 * `way`: the caller, mostly an agent's name.
 */
export function proofKeyOf(serviceKey: string, way: string): string {
  return derived(serviceKey, `way ${way}`).toString("hex");
}

/** The private key (Ed25519, 32 bytes) of the authority that signs the service's certificates. */
export function authoritySeedOf(serviceKey: string): Buffer {
  return derived(serviceKey, "authority");
}

function derived(key: string, of: string): Buffer {
  return createHmac("sha256", key).update(of).digest();
}
