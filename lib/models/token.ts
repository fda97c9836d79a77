// The token of a grant or of a bid, by which the gateway knows who calls:
// `sett_grant.CLAIM.AGENT.ATTEMPT.SECRET`.
import { createHash, randomBytes } from "node:crypto";
import { AgentName, ClaimId } from "../model/ids.ts";
import type { ModelToken } from "../model/model-call.ts";

const secretBytes = 32;

/** No part of it has a dot, so that splitting at the dots is exact. */
const pattern = /^sett_(grant|bid)\.([^.]+)\.([^.]+)\.(0|[1-9]\d{0,8})\.[A-Za-z0-9_-]{43}$/;

/** The one that shall be able to call with the token. `attempt` of a bid is 0. */
export type TokenOwner = Pick<ModelToken, "kind" | "claim" | "agent" | "attempt">;

/** A token with a new secret. Only its digest may be stored; `text` is for the caller alone. */
export function newToken({ kind, claim, agent, attempt }: TokenOwner): {
  text: string;
  digest: string;
} {
  const text = `sett_${kind}.${claim}.${agent}.${attempt}.${randomBytes(secretBytes).toString("base64url")}`;
  return { text, digest: digestOf(text) };
}

/**
 * Undefined for a text that no `newToken` has made. That it is well formed does not mean that it is
 * good: the blackboard knows.
 */
export function parseToken(text: string): ModelToken | undefined {
  const [, kind, claimText, agentName, digits] = pattern.exec(text) ?? [];
  const claim = ClaimId.safeParse(claimText);
  const agent = AgentName.safeParse(agentName);
  if ((kind !== "grant" && kind !== "bid") || !claim.success || !agent.success) return undefined;
  const attempt = Number(digits);
  // A grant's first attempt is 1; a bid has none.
  if ((kind === "bid") !== (attempt === 0)) return undefined;
  return { kind, claim: claim.data, agent: agent.data, attempt, digest: digestOf(text) };
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
