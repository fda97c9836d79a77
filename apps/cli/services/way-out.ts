// How a service reaches hosts outside: by the proxy and with the certificates of `models` in
// sett.yml, else those of the environment of `sett up`. Each service that sends requests to other
// machines has it: models, tools, webhooks, forges, identity providers and traces go one way.
import type { SettConfig } from "../../../lib/model/config.ts";
import type { Mount } from "../../../lib/runtime/container-spec.ts";

const caFile = "/company-ca.pem";
const machineName = "host.docker.internal";

/** The variables by which its runtime goes. This machine is reached without a proxy. */
export function wayOut({ models }: Pick<SettConfig, "models">): Record<string, string> {
  const { proxy, no_proxy = "", ca } = models.way;
  const direct = [no_proxy, machineName].filter((hosts) => hosts !== "").join(",");
  return {
    ...(proxy !== undefined && { HTTPS_PROXY: proxy, HTTP_PROXY: proxy, NO_PROXY: direct }),
    ...(ca !== undefined && { NODE_EXTRA_CA_CERTS: caFile }),
  };
}

export function certificatesOut({ models: { way } }: Pick<SettConfig, "models">): Mount[] {
  return way.ca === undefined ? [] : [{ kind: "bind", path: way.ca, target: caFile, access: "ro" }];
}

/** Whether the proxy is a program of this machine. */
export function hasProxyHere({ models: { way } }: Pick<SettConfig, "models">): boolean {
  return way.proxy !== undefined && URL.parse(way.proxy)?.hostname === machineName;
}
