import { backOffMs } from "../../async/back-off.ts";

export const maxDelayMs = 1_000;

/** Before the next try to connect; `tries`: how many have failed, from 1. */
export function reconnectDelayMs(tries: number): number {
  return backOffMs(tries, { firstMs: 25, maxMs: maxDelayMs });
}
