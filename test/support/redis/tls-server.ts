// A real Redis of others: with TLS, a password and users, and nothing of Sett's.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeCertificate } from "../http/make-certificate.ts";
import { freePort, type RedisServer, startRedisServer } from "./redis-server.ts";

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
  /** It keeps its data there, which then stays. */
  folder?: string;
};

export async function startTlsServer({
  names = "DNS:localhost,IP:127.0.0.1,IP:::1",
  settings = [],
  hasUsers = true,
  isExpired = false,
  ...place
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
        ...place,
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
