// A real Redis of others: with TLS, a password and users, and nothing of Sett's.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $ } from "bun";
import { type RedisServer, startRedisServer } from "./redis-server.ts";

export const password = "the-password-of-operations";

export type TlsServer = AsyncDisposable & {
  /** As its owner, without TLS: for the test alone. */
  readonly server: RedisServer;
  readonly tlsPort: number;
  /** The file of the authority that has signed its certificate. */
  readonly ca: string;
};

type Options = {
  /** As `subjectAltName` of openssl; default: this machine's loopback. */
  names?: string;
  settings?: readonly string[];
  hasUsers?: boolean;
  isExpired?: boolean;
};

export async function startTlsServer({
  names = "DNS:localhost,IP:127.0.0.1,IP:::1",
  settings = [],
  hasUsers = true,
  isExpired = false,
}: Options = {}): Promise<TlsServer> {
  const folder = await mkdtemp(join(tmpdir(), "sett-tls-"));
  const { ca, cert, key } = await makeCertificate(folder, names, isExpired);
  const start = async (tries: number): Promise<{ server: RedisServer; tlsPort: number }> => {
    const tlsPort = await freePort();
    const tls = [
      ...[`tls-port ${tlsPort}`, `tls-cert-file ${cert}`, `tls-key-file ${key}`],
      ...[`tls-ca-cert-file ${ca}`, "tls-auth-clients no", "bind 127.0.0.1 ::1"],
    ];
    try {
      const server = await startRedisServer({
        password,
        hasUsers,
        settings: [...tls, ...settings],
      });
      return { server, tlsPort };
    } catch (error) {
      // A port that was free a moment ago may be taken by now.
      if (tries === 1) throw error;
      return await start(tries - 1);
    }
  };
  const { server, tlsPort } = await start(5);
  return {
    server,
    tlsPort,
    ca,
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Signed by an authority of its own. */
async function makeCertificate(folder: string, names: string, isExpired: boolean) {
  const at = (name: string) => join(folder, name);
  await writeFile(at("names"), `subjectAltName=${names}\n`);
  const days = isExpired ? "-1" : "2";
  await $`openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -subj /CN=authority -days 2`
    .cwd(folder)
    .quiet();
  await $`openssl req -newkey rsa:2048 -nodes -keyout key.pem -out request -subj /CN=redis`
    .cwd(folder)
    .quiet();
  await $`openssl x509 -req -in request -CA ca.pem -CAkey ca.key -CAcreateserial -out cert.pem -days ${days} -extfile names`
    .cwd(folder)
    .quiet();
  return { ca: at("ca.pem"), cert: at("cert.pem"), key: at("key.pem") };
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => probe.once("listening", resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}
