// A proxy as a company has one: it alone knows where the hosts are, and notes what it is asked for.
import { createServer, request } from "node:http";
import { connect, type Socket } from "node:net";

export type SmallProxy = AsyncDisposable & {
  url: string;
  /** `METHOD HOST:PORT` of each request, in order. */
  requests: string[];
};

/** `ports`: where each host is on this machine. Others are refused, as by 403. */
export async function startSmallProxy(
  ports: Readonly<Record<string, number>>,
): Promise<SmallProxy> {
  const requests: string[] = [];
  const server = createServer((incoming, answer) => {
    const url = URL.parse(incoming.url ?? "");
    const port = ports[url?.hostname ?? ""];
    requests.push(`${incoming.method} ${url?.hostname}:${url?.port || 80}`);
    if (url === null || port === undefined) return void answer.writeHead(403).end();
    const { method, headers } = incoming;
    const path = `${url.pathname}${url.search}`;
    const there = request({ host: "127.0.0.1", port, method, path, headers }, (found) => {
      answer.writeHead(found.statusCode ?? 502, found.headers);
      found.pipe(answer);
    });
    there.on("error", () => answer.destroy());
    incoming.pipe(there);
  });
  server.on("connect", ({ url = "" }, client: Socket) => {
    requests.push(`CONNECT ${url}`);
    const port = ports[url.replace(/:\d+$/, "")];
    if (port === undefined) return void client.end("HTTP/1.1 403 Forbidden\r\n\r\n");
    const there = connect(port, "127.0.0.1", () => {
      client.write("HTTP/1.1 200 Connection established\r\n\r\n");
      client.pipe(there).pipe(client);
    });
    for (const [one, other] of [
      [client, there],
      [there, client],
    ] as const)
      one.on("error", () => other.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
