// The API asks the recorder for what commands have printed.
import { messageOf, SettError } from "../../lib/model/errors.ts";
import { reachable } from "../../lib/reach/reachable.ts";
import type { JsonLog } from "../../lib/service/json-log.ts";
import type { ReadOutput } from "./deps.ts";

const askMs = 20_000;

/** Undefined where the settings name no recorder. */
export async function openOutputs(
  address: string | undefined,
  log: JsonLog,
): Promise<ReadOutput | undefined> {
  if (address === undefined) return undefined;
  const url = await reachable(address, { log });
  return async ({ goal, digest }) => {
    try {
      const signal = AbortSignal.timeout(askMs);
      const response = await fetch(`${url}/outputs/${goal}/${digest}`, { signal });
      if (response.status === 404) return undefined;
      if (response.ok) return new Uint8Array(await response.arrayBuffer());
      throw new Error(`it answers ${response.status}`);
    } catch (cause) {
      throw new SettError("not-ready", `The recorder cannot be read: ${messageOf(cause)}`, {
        hint: "`sett up` starts it again.",
        cause,
      });
    }
  };
}
