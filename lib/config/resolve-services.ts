// `services` of sett.yml with absolute paths: the files of certificates.
import type { SettConfig } from "../model/config.ts";
import type { HostEnvironment } from "./resolve-environment.ts";
import { placeOf } from "./resolve-secrets.ts";

type Services = SettConfig["services"];

export function resolveServices(
  services: Services,
  place: { folder: string; host: HostEnvironment },
): Services {
  const { ca } = services.redis;
  const redis = ca === undefined ? services.redis : { ...services.redis, ca: placeOf(ca, place) };
  const { api } = services;
  if (api?.tls === undefined || api.tls === "none") return { ...services, redis };
  const { cert, key } = api.tls;
  return {
    ...services,
    redis,
    api: { ...api, tls: { cert: placeOf(cert, place), key: placeOf(key, place) } },
  };
}
