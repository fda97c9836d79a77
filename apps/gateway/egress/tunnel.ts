// Passes bytes between an agent and a host, once the agent's first bytes have shown that they are for that host.
import { isIP, type Socket } from "node:net";
import { readHello } from "./client-hello.ts";

/** Where all must be TLS. */
export const httpsPort = 443;
const maxHelloBytes = 64 * 1024;
const idleMs = 10 * 60_000;

type Ends = { client: Socket; upstream: Socket; host: string; port: number; first: Uint8Array };

/** Resolves when both sides are closed: with a sentence where the client's first bytes were not for this host. */
export function tunnel({ client, upstream, host, port, first }: Ends): Promise<string | undefined> {
  return new Promise((resolve) => {
    let refusal: string | undefined;
    const close = () => {
      client.destroy();
      upstream.destroy();
      resolve(refusal);
    };
    for (const socket of [client, upstream]) {
      socket.on("error", close);
      socket.on("close", close);
      socket.setTimeout(idleMs, close);
    }
    upstream.pipe(client);
    let begun: Uint8Array<ArrayBufferLike> = new Uint8Array();
    const take = (chunk: Uint8Array) => {
      begun = begun.length === 0 ? chunk : Buffer.concat([begun, chunk]);
      const verdict = verdictOn(begun, host, port);
      if (verdict === "unfinished") return;
      client.off("data", take);
      if (verdict === "passed") {
        upstream.write(begun);
        client.pipe(upstream);
        return;
      }
      refusal = verdict.refusal;
      close();
    };
    client.on("data", take);
    client.on("end", () => upstream.end());
    if (first.length > 0) take(first);
  });
}

export type Verdict = "unfinished" | "passed" | { refusal: string };

/** By the name that TLS shows: a connection to an allowed host could else be answered for another one behind the same address. */
export function verdictOn(bytes: Uint8Array, host: string, port: number): Verdict {
  if (isIP(host.replace(/^\[(.*)\]$/, "$1")) !== 0) return "passed";
  const hello = readHello(bytes);
  if (hello.kind === "unfinished")
    return bytes.length < maxHelloBytes ? "unfinished" : { refusal: `The first message to ${host}:${port} is too long.` };
  if (hello.kind === "other") return port === httpsPort ? { refusal: `What was sent to ${host}:${port} is not TLS.` } : "passed";
  if (hello.kind === "ambiguous") return { refusal: `A connection by TLS to ${host}:${port} names more than one server.` };
  if (hello.name === undefined) return { refusal: `A connection by TLS to ${host}:${port} names no server.` };
  if (plain(hello.name) === plain(host)) return "passed";
  return { refusal: `A connection by TLS to ${host}:${port} is for another server, ${hello.name}.` };
}

function plain(name: string): string {
  return name.toLowerCase().replace(/\.$/, "");
}
