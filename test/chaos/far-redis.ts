// A Redis that is reached as one elsewhere is: by TLS, over a link that may be slow or cut, through
// the instance's own way to it.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Link, startLink } from "../support/http/link.ts";
import { makeCertificate } from "../support/http/make-certificate.ts";
import { serviceCommand } from "../support/process/compiled.ts";
import { freePort, type RedisServer, startRedisServer } from "../support/redis/redis-server.ts";
import type { Random } from "./random.ts";
import { Supervised } from "./supervised.ts";

export type FarRedis = AsyncDisposable & {
  /** For the test alone: without TLS, and not over the link. */
  readonly redis: RedisServer;
  readonly link: Link;
  readonly way: Supervised;
  /** Leads through the way. */
  readonly url: string;
};

type Options = {
  folder: string;
  instance: string;
  random: Random;
  disk: { folder: string } | undefined;
};

/** `folder`: for the certificate and the log of the way. */
export async function startFarRedis({
  folder,
  instance,
  random,
  disk,
}: Options): Promise<FarRedis> {
  await using parts = new AsyncDisposableStack();
  const { ca, cert, key } = await makeCertificate(folder, "IP:127.0.0.1", false);
  const [tlsPort, ownPort] = [await freePort(), await freePort()];
  const settings = [
    ...[`tls-port ${tlsPort}`, `tls-cert-file ${cert}`, `tls-key-file ${key}`],
    ...[`tls-ca-cert-file ${ca}`, "tls-auth-clients no"],
  ];
  const redis = parts.use(await startRedisServer({ ...disk, settings }));
  const link = parts.use(await startLink(tlsPort, () => random.between(0, 1)));
  const environment = {
    SETT_INSTANCE_NAME: instance,
    SETT_REDIS_AT: `rediss://127.0.0.1:${link.port}`,
    SETT_REDIS_CA: await readFile(ca, "utf8"),
    ...{ SETT_REDIS_HOST: "127.0.0.1", SETT_REDIS_PORT: String(ownPort), SETT_HEALTH_PORT: "0" },
  };
  const [program, ...more] = serviceCommand("orchestrator");
  const command = [program, ...more, "--redis-way"] as [string, ...string[]];
  const way = parts.use(new Supervised(command, environment, join(folder, "redis-way.log")));
  const url = new URL(redis.url);
  url.port = String(ownPort);
  const all = parts.move();
  return {
    ...{ redis, link, way, url: url.href },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
