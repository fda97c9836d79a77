// The environment in which the program `docker`, and what calls it, finds the Engine that Sett has
// found: by themselves they might find another one.
import type { HostEnvironment } from "./docker-config.ts";
import type { EngineAddress } from "./find-engine.ts";

export function dockerEnvironment(
  address: EngineAddress,
  { DOCKER_CONTEXT: _, DOCKER_TLS: __, DOCKER_TLS_VERIFY: ___, ...env }: HostEnvironment,
): Record<string, string | undefined> {
  if (address.kind === "socket") return { ...env, DOCKER_HOST: `unix://${address.path}` };
  const found = { ...env, DOCKER_HOST: address.host.replace(/^https:/, "tcp:") };
  if (address.kind === "ssh" || address.tls === undefined) return found;
  const { folder, isVerified } = address.tls;
  const variable = isVerified ? "DOCKER_TLS_VERIFY" : "DOCKER_TLS";
  return { ...found, DOCKER_CERT_PATH: folder, [variable]: "1" };
}
