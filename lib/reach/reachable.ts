// An address of the loopback for a service that its clients do not reach by themselves, because it
// has a socket, or because each connection to it begins with a proof.
import { systemClock } from "../async/clock.ts";
import { opened, provenProtocol, readAddress } from "../model/proven-address.ts";
import { reachable as bySocket, forwardTo, onLoopback } from "../service/forward.ts";
import type { JsonLog } from "../service/json-log.ts";
import { LineBudget } from "../service/line-budget.ts";
import { dialProven } from "./dial.ts";

type Caller = {
  /** Says of connections that were not made what is wrong. */
  log: JsonLog;
  /** Opens keys that are sealed with it. */
  password?: string;
};

/**
 * A URL such as `http://127.0.0.1:40123` for `unix:…` and `tls:…`; any other URL as it is. It does
 * not keep the process alive. Throws `environment-invalid`.
 */
export async function reachable(url: string, { log, password = "" }: Caller): Promise<string> {
  if (new URL(url).protocol !== provenProtocol) return await bySocket(url);
  const address = opened(readAddress(url), password);
  const { host, port } = address;
  const lines = new LineBudget(systemClock);
  const onProblem = (reason: string) => {
    const omitted = lines.take();
    if (omitted !== undefined)
      log.warn("Could not reach a service", { host, port, reason, omitted });
  };
  return await onLoopback(forwardTo(() => dialProven(address, onProblem)));
}
