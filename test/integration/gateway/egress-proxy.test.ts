// The egress proxy over real sockets: what goes through, what does not, and what it says. Its
// clients are this process; in containers it is tried by test/security/network.test.ts.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer as createHttpServer, type IncomingMessage, request } from "node:http";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { connect as connectTls } from "node:tls";
import { $ } from "bun";
import { EgressProxy } from "../../../apps/gateway/egress/egress-proxy.ts";
import { createEgressMetrics } from "../../../apps/gateway/egress/metrics.ts";
import { systemClock } from "../../../lib/async/clock.ts";
import { parseTarget } from "../../../lib/model/egress.ts";
import { createJsonLog } from "../../../lib/service/json-log.ts";
import { waitFor } from "../../support/wait-for.ts";

/** An address of this machine that is none of its loopback, which agents never reach. */
const own =
  (await $`hostname -I`.text())
    .trim()
    .split(" ")
    .find((address) => /^[\d.]+$/.test(address)) ?? "";
const folder = await mkdtemp(join(tmpdir(), "sett-egress-"));
const socket = join(folder, "egress.sock");
const lines: Record<string, unknown>[] = [];
const metrics = createEgressMetrics();
const names: Record<string, string[]> = {
  "good.example.org": [own],
  "plain.example.org": [own],
  "wild.example.net": [own],
  "mixed.example.org": ["127.0.0.1", own],
  "inside.example.org": ["127.0.0.1", "169.254.169.254"],
  "sett.example.org": ["172.30.0.3"],
};
const ports = { tls: 0, echo: 0, http: 0, closed: 0 };
let proxy: EgressProxy;
let tls: ReturnType<typeof Bun.serve>;
let echo: Server;
let web: ReturnType<typeof createHttpServer>;

beforeAll(async () => {
  const subject = "/CN=good.example.org";
  await $`openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj ${subject} -keyout ${folder}/key.pem -out ${folder}/cert.pem`.quiet();
  const certificate = { key: Bun.file(`${folder}/key.pem`), cert: Bun.file(`${folder}/cert.pem`) };
  tls = Bun.serve({
    port: 0,
    hostname: "0.0.0.0",
    tls: certificate,
    fetch: (request) => new Response(`seen ${request.url}`),
  });
  // Says something first, as servers of mail do.
  echo = createServer((client) => {
    client.write("hello ");
    client.pipe(client);
    client.on("error", () => undefined);
  });
  web = createHttpServer((asked, answer) => {
    const seen = { method: asked.method, url: asked.url, headers: asked.headers };
    let body = "";
    asked.on("data", (chunk) => {
      body += String(chunk);
    });
    asked.on("end", () =>
      answer
        .writeHead(201, { "x-own": "yes", connection: "keep-alive" })
        .end(JSON.stringify({ ...seen, body })),
    );
  });
  await Promise.all(
    [echo, web].map((server) => new Promise<void>((ready) => server.listen(0, "0.0.0.0", ready))),
  );
  const portOf = (server: Server) => (server.address() as AddressInfo).port;
  Object.assign(ports, {
    tls: tls.port,
    echo: portOf(echo),
    http: portOf(web as unknown as Server),
  });
  const targets = [
    ...[
      `good.example.org:${ports.tls}`,
      `good.example.org:${ports.echo}`,
      `good.example.org:443`,
      "good.example.org:1",
    ],
    ...[
      `plain.example.org:${ports.http}`,
      `mixed.example.org:${ports.echo}`,
      "inside.example.org:*",
      "sett.example.org:*",
    ],
    ...["*.example.net:*", "gone.example.org", `${own}:${ports.echo}`],
  ];
  proxy = new EgressProxy(
    "builder",
    targets.flatMap((target) => parseTarget(target) ?? []),
    {
      resolve: async (name) => {
        const found = names[name];
        if (found === undefined) throw new Error("ENOTFOUND");
        return found;
      },
      own: () => ["172.30.0.2/16"],
      machine: ["93.184.216.34/32"],
      log: createJsonLog((line) => lines.push(JSON.parse(line)), systemClock.now),
      metrics,
      clock: systemClock,
      idleMs: 600_000,
    },
  );
  await proxy.listen(socket);
});

afterAll(async () => {
  proxy.close();
  await tls.stop(true);
  echo.close();
  web.close();
  await rm(folder, { recursive: true });
});

type Opened = { client: Socket; head: string; rest: Buffer };

/** Asks for a tunnel; `head` is what the proxy answers. */
async function open(authority: string): Promise<Opened> {
  const client = connect(socket);
  client.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`);
  let bytes = Buffer.alloc(0);
  for await (const chunk of client.iterator({ destroyOnReturn: false })) {
    bytes = Buffer.concat([bytes, chunk as Buffer]);
    const end = bytes.indexOf("\r\n\r\n");
    if (end !== -1 && !bytes.includes("HTTP/1.1 4") && !bytes.includes("HTTP/1.1 5"))
      return { client, head: bytes.subarray(0, end).toString(), rest: bytes.subarray(end + 4) };
  }
  return { client, head: bytes.toString(), rest: Buffer.alloc(0) };
}

/** All that comes until the other side ends, after `words` were sent. */
async function exchange({ client, rest }: Opened, words: string, enough: string): Promise<string> {
  let all = rest.toString();
  client.write(words);
  if (all.includes(enough)) return all;
  for await (const chunk of client) {
    all += String(chunk);
    if (all.includes(enough)) break;
  }
  client.destroy();
  return all;
}

const last = () => lines.at(-1) ?? {};

describe("by CONNECT", () => {
  test("TLS goes through to the host that it names", async () => {
    const { client } = await open(`good.example.org:${ports.tls}`);
    const inner = connectTls({
      socket: client,
      servername: "good.example.org",
      rejectUnauthorized: false,
    });
    inner.write("GET /a HTTP/1.1\r\nHost: good.example.org\r\nConnection: close\r\n\r\n");
    let answer = "";
    for await (const chunk of inner) answer += String(chunk);
    expect(answer).toContain("/a");
    client.destroy();
    const line = await waitFor("its line", () =>
      lines.find(({ msg }) => msg === "Passed a connection on"),
    );
    expect(line).toMatchObject({ agent: "builder", host: "good.example.org", port: ports.tls });
    expect(Number(line.sent)).toBeGreaterThan(200);
  });

  test("TLS for another host is cut off before a byte has gone through", async () => {
    const { client } = await open(`good.example.org:${ports.tls}`);
    const inner = connectTls({
      socket: client,
      servername: "other.example.org",
      rejectUnauthorized: false,
    });
    inner.on("error", () => undefined);
    await new Promise((closed) => client.once("close", closed));
    await waitFor("its line", () =>
      lines.some(({ reason }) =>
        String(reason).endsWith("is for another server, other.example.org."),
      ),
    );
  });

  test("what is not TLS goes through at other ports, also where the server speaks first", async () => {
    const opened = await open(`good.example.org:${ports.echo}`);
    expect(await exchange(opened, "SSH-2.0-me\r\n", "me\r\n")).toBe("hello SSH-2.0-me\r\n");
    expect(await exchange(await open(`${own}:${ports.echo}`), "to an address", "address")).toBe(
      "hello to an address",
    );
  });

  test.each([
    [
      "a host that is not named",
      "evil.example.org:443",
      "builder may not connect to evil.example.org:443. Add `evil.example.org:443`",
    ],
    ["another port", "plain.example.org:22", "builder may not connect to plain.example.org:22."],
    [
      "the loopback by a name",
      "inside.example.org:80",
      "has the address 127.0.0.1, 169.254.169.254, which agents never reach.",
    ],
    [
      "the network of the proxy",
      "sett.example.org:6379",
      "has the address 172.30.0.3, which agents never reach.",
    ],
    [
      "a private address by a pattern",
      "wild.example.net:80",
      "which is private or of this machine: `agents.builder.egress` must name wild.example.net:80 in full.",
    ],
    ["no authority", "good.example.org", "This is the egress proxy of Sett"],
    ["a port that is none", "good.example.org:99999", "This is the egress proxy of Sett"],
  ])("%s is refused with a sentence", async (_, authority, sentence) => {
    const before = lines.length;
    const { head } = await open(authority);
    expect(head).toStartWith("HTTP/1.1 403 ");
    expect(head).toContain("x-sett-error: egress");
    expect(head).toContain(sentence);
    // That of a connection whose client has gone may come meanwhile.
    const line = await waitFor("its line", () =>
      lines.slice(before).find(({ msg }) => msg === "Refused a connection"),
    );
    expect(line).toMatchObject({ level: "warn", agent: "builder" });
  });

  test("of several addresses only those count that agents may reach", async () => {
    expect(await exchange(await open(`mixed.example.org:${ports.echo}`), "x", "x")).toBe("hello x");
  });

  test("a host without an address, and one that does not answer, are 502", async () => {
    expect((await open("gone.example.org:443")).head).toContain(
      "There is no host gone.example.org",
    );
    expect((await open("good.example.org:1")).head).toStartWith("HTTP/1.1 502 ");
  });

  test("a client that leaves is no error", async () => {
    const { client } = await open(`good.example.org:${ports.echo}`);
    client.destroy();
    const before = lines.length;
    await waitFor(
      "its line",
      () => lines.length > before || last().msg === "Passed a connection on",
    );
  });
});

describe("plain HTTP", () => {
  const ask = async (path: string, { method = "GET", headers = {}, body = "" } = {}) => {
    const question = request({
      socketPath: socket,
      method,
      path,
      headers: { host: "elsewhere", ...headers },
    });
    question.end(body);
    const [answer] = (await once(question, "response")) as [IncomingMessage];
    return { status: answer.statusCode, headers: answer.headers, text: await text(answer) };
  };

  test("is passed on to its host, without what is for the proxy", async () => {
    const body = "x".repeat(200_000);
    const host = `plain.example.org:${ports.http}`;
    const headers = { "proxy-authorization": "Basic eA==", "x-own": "1" };
    const answer = await ask(`http://${host}/a?b=1`, { method: "POST", headers, body });
    expect(answer).toMatchObject({ status: 201, headers: { "x-own": "yes" } });
    const seen = JSON.parse(answer.text);
    expect(seen).toMatchObject({
      method: "POST",
      url: "/a?b=1",
      headers: { host, "x-own": "1" },
      body,
    });
    expect(seen.headers).not.toHaveProperty("proxy-authorization");
  });

  test.each([
    ["http://evil.example.org/", "builder may not connect to evil.example.org:80."],
    ["http://127.0.0.1/", "builder may not connect to 127.0.0.1:80."],
    ["http://good.example.org:443/", "What was sent to good.example.org:443 is not TLS."],
    ["https://good.example.org/", "This is the egress proxy of Sett"],
    ["/healthz", "This is the egress proxy of Sett"],
  ])("to %s is refused", async (url, sentence) => {
    const { status, text: said } = await ask(url);
    expect(status).toBe(403);
    expect(said).toContain(sentence);
  });
});

test("more than 256 connections at once are closed, and after them others are served", async () => {
  const idle = Array.from({ length: 300 }, () => connect(socket).on("error", () => undefined));
  const closed = () =>
    idle.filter(({ destroyed, readyState }) => destroyed || readyState === "closed").length;
  await waitFor("the surplus to be closed", () => closed() >= 44);
  for (const client of idle) client.destroy();
  await waitFor("room", async () => (await metrics.open.get()).values[0]?.value === 0);
  expect(await exchange(await open(`good.example.org:${ports.echo}`), "again", "again")).toBe(
    "hello again",
  );
});
