// Asks an authority for a time stamp (RFC 3161) of what the notary has signed.
import { oneLine } from "../../../lib/client/text/plain-text.ts";
import { SettError } from "../../../lib/model/errors.ts";
import { readTimeStamp, timeStampRequest } from "../../../lib/proof/outside/time-stamp.ts";
import { askOutside } from "./ask-outside.ts";
import { requireNow } from "./require-now.ts";

/** `reply`: its bytes. */
export type Stamped = { reply: Buffer; at: Date; by: string };
type Order = { url: string; checkpoint: string; signal: AbortSignal; patienceMs?: number };

/**
 * It is a right stamp of this checkpoint; whom its certificate leads to says the one who verifies.
 * Throws `usage` and `not-ready`.
 */
export async function askAuthority({ url, checkpoint, ...how }: Order): Promise<Stamped> {
  const { bytes, nonce } = timeStampRequest(checkpoint);
  const type = "application/timestamp-query";
  const { status, body } = await askOutside({ url, body: bytes, type, ...how });
  const refuse = (why: string) =>
    new SettError("not-ready", `${oneLine(url)} has given no time stamp. ${oneLine(why)}`, {
      hint: "Nothing of it was kept. Name an authority of RFC 3161: --tsa URL",
    });
  if (status !== 200) throw refuse(`It answers with status ${status}.`);
  const stamp = readTimeStamp(body, checkpoint);
  if (typeof stamp === "string") throw refuse(stamp);
  if (stamp.nonce !== nonce) throw refuse("It is the answer to another request.");
  requireNow(stamp.at, url);
  return { reply: body, at: stamp.at, by: stamp.signer.name };
}
