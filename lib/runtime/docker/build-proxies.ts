// The proxies that a person has given to docker for what runs in a build. Its command line makes
// arguments of the build of them, and the Engine's API does not.
import { type HostEnvironment, memberOf, readDockerConfig, textIn } from "./docker-config.ts";
import type { EngineAddress } from "./find-engine.ts";

/** The members of docker's settings, by the variable that each one sets. */
const settings = {
  HTTP_PROXY: "httpProxy",
  HTTPS_PROXY: "httpsProxy",
  NO_PROXY: "noProxy",
  FTP_PROXY: "ftpProxy",
  ALL_PROXY: "allProxy",
};

/** The names are variables, in both spellings. Those of this Engine replace those of all. */
export async function buildProxies(
  address: EngineAddress,
  env: HostEnvironment,
): Promise<Record<string, string>> {
  const proxies = memberOf(await readDockerConfig(env), "proxies");
  const host = address.kind === "socket" ? `unix://${address.path}` : address.host;
  const chosen = Object(proxies)[host] ?? Object(proxies).default;
  const entries = Object.entries(settings).flatMap(([variable, key]) => {
    const value = textIn(chosen, key);
    return value ? [variable, variable.toLowerCase()].map((name) => [name, value]) : [];
  });
  return Object.fromEntries(entries);
}
