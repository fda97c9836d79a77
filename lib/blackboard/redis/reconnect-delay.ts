import { backOffMs } from "../../async/back-off.ts";

/** Before the next try to connect; `tries`: how many have failed, from 1. */
export function reconnectDelayMs(tries: number): number {
  return backOffMs(tries, { firstMs: 25, maxMs: 1_000 });
}
