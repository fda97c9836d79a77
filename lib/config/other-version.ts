// Warns of an orchestrator of another version than this sett: `sett up` will refuse it, or not find
// it.
import type { SettConfig } from "../model/config.ts";
import type { ConfigPath } from "./problems.ts";

/** Checks only the image's tag: no Engine is needed. `version` is this sett's. */
export function otherVersion(
  { services }: SettConfig,
  version: string,
): { path: ConfigPath; sentence: string }[] {
  const [, named] =
    /^sett\/orchestrator:v?(\d[\w.+-]*)$/.exec(services.orchestrator.image ?? "") ?? [];
  if (named === undefined || named === version) return [];
  const sentence = `is of Sett ${named}, but this is sett ${version}, which needs its own orchestrator: leave this line out`;
  return [{ path: ["services", "orchestrator", "image"], sentence }];
}
