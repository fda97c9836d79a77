// The address of an instance's API, as far as this machine knows it.
import { hostname } from "node:os";
import type { ApiService } from "../../../../lib/model/config-api.ts";

const everywhere = ["0.0.0.0", "::"];

/** A proxy in front of it, where there is one, has another. */
export function apiAddress({ host, port, tls }: Pick<ApiService, "host" | "port" | "tls">): string {
  const name = everywhere.includes(host) ? hostname() : host.includes(":") ? `[${host}]` : host;
  return `${typeof tls === "object" ? "https" : "http"}://${name}:${port}/`;
}
