// The service of packs at an address that its client of this program can ask.
import { provenProtocol } from "../../lib/model/proven-address.ts";
import { reachable } from "../../lib/reach/reachable.ts";
import type { JsonLog } from "../../lib/service/json-log.ts";
import type { Settings } from "./settings.ts";

/** A socket needs no way of its own. Undefined where the settings name no such service. */
export async function reachablePacks(
  { packs }: Pick<Settings, "packs">,
  log: JsonLog,
): Promise<Settings["packs"]> {
  if (packs === undefined || URL.parse(packs.url)?.protocol !== provenProtocol) return packs;
  return { ...packs, url: await reachable(packs.url, { log }) };
}
