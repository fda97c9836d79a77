// Passes bytes between an agent and a host, once the agent's first bytes have shown that they are
// for that host.
import { isIP, type Socket } from "node:net";
import { type Hello, HelloReader } from "./client-hello.ts";

/** The port at which all must be TLS. */
export const httpsPort = 443;
const maxHelloBytes = 64 * 1024;
/** A log repeats so much of a name. */
const maxNameLength = 255;

type Ends = {
  client: Socket;
  upstream: Socket;
  host: string;
  port: number;
  first: Uint8Array;
  idleMs: number;
};

/**
 * Resolves when both sides are closed: with a sentence where the client's first bytes were not for
 * this host.
 */
export function tunnel({
  client,
  upstream,
  host,
  port,
  first,
  idleMs,
}: Ends): Promise<string | undefined> {
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
    const begun: Uint8Array[] = [];
    const judge = judgeOf(host, port);
    const take = (chunk: Uint8Array) => {
      begun.push(chunk);
      const verdict = judge(chunk);
      if (verdict === "unfinished") return;
      client.off("data", take);
      if (verdict === "passed") {
        upstream.write(Buffer.concat(begun));
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

/**
 * Judges by the name that TLS shows: a connection to an allowed host could else be answered for
 * another one behind the same address. The function that it returns judges each piece that the
 * client sends, until it has decided.
 */
export function judgeOf(host: string, port: number): (bytes: Uint8Array) => Verdict {
  const reader = new HelloReader();
  let length = 0;
  return (bytes) => {
    if (isIP(host.replace(/^\[(.*)\]$/, "$1")) !== 0) return "passed";
    length += bytes.length;
    const hello = reader.read(bytes);
    if (hello.kind === "unfinished")
      return length < maxHelloBytes
        ? "unfinished"
        : { refusal: `The first message to ${host}:${port} is too long.` };
    return verdictOn(hello, host, port);
  };
}

function verdictOn(
  hello: Exclude<Hello, { kind: "unfinished" }>,
  host: string,
  port: number,
): Verdict {
  switch (hello.kind) {
    case "other":
      return port === httpsPort
        ? { refusal: `What was sent to ${host}:${port} is not TLS.` }
        : "passed";
    case "ambiguous":
      return { refusal: `A connection by TLS to ${host}:${port} names more than one server.` };
    case "tls":
      if (hello.name === undefined)
        return { refusal: `A connection by TLS to ${host}:${port} names no server.` };
      if (plain(hello.name) === plain(host)) return "passed";
      return {
        refusal: `A connection by TLS to ${host}:${port} is for another server, ${hello.name.slice(0, maxNameLength)}.`,
      };
  }
}

function plain(name: string): string {
  return name.toLowerCase().replace(/\.$/, "");
}
