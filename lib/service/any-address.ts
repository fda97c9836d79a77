// The address at which a service listens that others reach by whatever address they have for it.
import { existsSync } from "node:fs";

/** Not there in a kernel without version 6 of the protocol, where `::` is no address. */
const versionSix = "/proc/net/if_inet6";

/** At `::` a program is reached by addresses of both versions. */
export function anyAddress(): "::" | "0.0.0.0" {
  return process.platform !== "linux" || existsSync(versionSix) ? "::" : "0.0.0.0";
}
