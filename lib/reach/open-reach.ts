// Opens the way to a service by TLS, beside its sockets: its settings, and what opens the port.
import { connect } from "node:net";
import { z } from "zod";
import type { Clock } from "../async/clock.ts";
import { provenPort } from "../model/proven-address.ts";
import { anyAddress } from "../service/any-address.ts";
import { PortText } from "../service/environment.ts";
import type { JsonLog } from "../service/json-log.ts";
import type { Listener } from "./listen.ts";

/** Settings of every service that is reached by TLS. */
export const reachSettings = {
  SETT_REACH_KEY: z
    .string()
    .regex(/^[0-9a-f]{64}$/, { error: "must be 64 hexadecimal digits" })
    .optional()
    .describe("The service's key, where agents reach it by TLS. Default: by sockets alone."),
  SETT_REACH_PORT: PortText.default(provenPort).describe("The port at which they do."),
};

export type ReachSettings = { key: string; port: number };

/** Undefined where it is reached by sockets. */
export function reachOf(read: {
  SETT_REACH_KEY?: string | undefined;
  SETT_REACH_PORT: number;
}): ReachSettings | undefined {
  const { SETT_REACH_KEY: key, SETT_REACH_PORT: port } = read;
  return key === undefined ? undefined : { key, port };
}

type Reached = {
  reach: ReachSettings | undefined;
  /** The socket of each way. */
  sockets: ReadonlyMap<string, string>;
  clock: Clock;
  log: JsonLog;
};

/**
 * A caller that proves to be one of the ways is passed on to its socket: from there on there is one
 * meaning of who asks, with the same limits. Undefined where sockets are all.
 */
export async function openReach({
  reach,
  sockets,
  clock,
  log,
}: Reached): Promise<Listener | undefined> {
  if (reach === undefined) return undefined;
  const { key: serviceKey, port } = reach;
  // What makes certificates is large, and needed here alone.
  const { listenProven } = await import("./listen.ts");
  const dial = (way: string) => connect({ path: sockets.get(way) ?? "", allowHalfOpen: true });
  const ways = [...sockets.keys()];
  return await listenProven({ port, hostname: anyAddress(), serviceKey, ways, dial, clock, log });
}
