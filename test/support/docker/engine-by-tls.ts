// The test's Engine at a port with TLS, which knows its clients by their certificates.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { connect, createServer as createTcpServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer } from "node:tls";
import { makeCertificate } from "../http/make-certificate.ts";

const ownEngine = process.env.DOCKER_HOST || "unix:///var/run/docker.sock";

export type EngineByTls = AsyncDisposable & {
  host: string;
  /** With ca.pem, cert.pem and key.pem, for a client as well. */
  folder: string;
  /** Ends all connections, and takes none until the returned function is called. */
  cut(): () => void;
};

export async function startEngineByTls({
  names = "DNS:localhost,IP:127.0.0.1",
  isExpired = false,
  engine = ownEngine,
} = {}): Promise<EngineByTls> {
  const folder = await mkdtemp(join(tmpdir(), "sett-engine-tls-"));
  const files = await makeCertificate(folder, names, isExpired);
  const [ca, cert, key] = await Promise.all(
    [files.ca, files.cert, files.key].map((file) => readFile(file)),
  );
  const options = {
    ca,
    cert,
    key,
    requestCert: true,
    rejectUnauthorized: true,
    allowHalfOpen: true,
  };
  const clients = new Set<Socket>();
  let isCut = false;
  const server = createServer(options, (client) => {
    clients.add(client);
    client.on("close", () => clients.delete(client));
    const there = connect({ path: engine.replace("unix://", ""), allowHalfOpen: true });
    client.pipe(there).pipe(client);
    client.on("error", () => there.destroy());
    there.on("error", () => client.destroy());
  });
  server.on("tlsClientError", () => undefined);
  server.on("connection", (socket) => isCut && socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return {
    host: `tcp://127.0.0.1:${port}`,
    folder,
    cut: () => {
      isCut = true;
      for (const client of clients) client.destroy();
      return () => {
        isCut = false;
      };
    },
    [Symbol.asyncDispose]: async () => {
      server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A port that takes connections and says nothing. */
export async function startSilentPort(): Promise<Disposable & { host: string }> {
  const server = createTcpServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  return { host: `tcp://127.0.0.1:${port}`, [Symbol.dispose]: () => void server.close() };
}
