// Shows what one agent does to the egress proxy that it shares with others: clients that come and
// leave by the thousand, names that are never answered, and first messages in single bytes.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
const folder = await mkdtemp(join(tmpdir(), "sett-crowds-"));
const lines: Record<string, unknown>[] = [];
/** Resolvers of names that are never answered. */
const unanswered: ((addresses: string[]) => void)[] = [];
const proxies: EgressProxy[] = [];
/** Takes connections, and says nothing. */
let silent: Server;
let reached: Socket[] = [];

beforeAll(async () => {
  silent = createServer((client) => {
    reached.push(client.on("error", () => undefined));
    client.on("close", () => {
      reached = reached.filter((one) => one !== client);
    });
    client.resume();
  });
  await new Promise<void>((ready) => silent.listen(0, "0.0.0.0", ready));
  for (const agent of ["builder", "other"]) {
    const proxy = new EgressProxy(
      agent,
      ["good.example.org:*", "*.example.net:*"].flatMap((target) => parseTarget(target) ?? []),
      {
        resolve: (name) =>
          name === "good.example.org"
            ? Promise.resolve([own])
            : new Promise((answer) => void unanswered.push(answer)),
        own: () => [],
        machine: [],
        log: createJsonLog((line) => lines.push(JSON.parse(line)), systemClock.now),
        metrics: createEgressMetrics(),
        clock: systemClock,
        idleMs: 5_000,
      },
    );
    await proxy.listen(join(folder, agent));
    proxies.push(proxy);
  }
});

afterAll(async () => {
  for (const proxy of proxies) proxy.close();
  for (const client of reached) client.destroy();
  silent.close();
  await rm(folder, { recursive: true });
});

const port = () => (silent.address() as AddressInfo).port;

async function ask(request: string, agent = "builder"): Promise<Socket> {
  const client = connect(join(folder, agent)).on("error", () => undefined);
  await once(client, "connect");
  client.write(`${request} HTTP/1.1\r\nHost: x\r\n\r\n`);
  return client;
}

/** The first line that the proxy answers with. */
async function answerTo(request: string, agent = "builder"): Promise<string> {
  const client = await ask(request, agent);
  const [bytes] = await once(client, "data");
  client.destroy();
  return String(bytes).split("\r\n")[0] ?? "";
}

const openFiles = async () => (await readdir("/proc/self/fd")).length;

test("a client that leaves before its host has answered leaves no connection behind", async () => {
  const full = Bun.spawn(["perl", "-MIO::Socket::INET", "-e", listenAndTakeNone], {
    stdout: "pipe",
  });
  const { value } = await full.stdout.getReader().read();
  const taken = Number(new TextDecoder().decode(value));
  const before = await openFiles();
  for (let round = 0; round < 40; round += 1) {
    const clients = await Promise.all(
      Array.from({ length: 10 }, () => ask(`CONNECT good.example.org:${taken}`)),
    );
    for (const client of clients) client.destroy();
  }
  await waitFor(
    "what they have asked for to be gone",
    async () => (await openFiles()) < before + 20,
  );
  full.kill();
});

/** With room for one connection that waits to be taken: those after it are not answered. */
const listenAndTakeNone =
  '$s = IO::Socket::INET->new(Listen => 0, LocalAddr => "0.0.0.0"); $| = 1; print $s->sockport; $c = IO::Socket::INET->new(PeerAddr => "127.0.0.1", PeerPort => $s->sockport); sleep 600';

test("a request of plain HTTP whose client leaves while its name is looked up reaches no host", async () => {
  for (let count = 0; count < 20; count += 1)
    (await ask(`GET http://slow.example.net:${port()}/`)).destroy();
  await waitFor("the lookups", () => unanswered.length === 20);
  for (const answer of unanswered.splice(0)) answer([own]);
  await answerTo(`CONNECT good.example.org:${port()}`);
  await waitFor("no connection", () => reached.length === 0);
});

test("plain HTTP that is idle ends", async () => {
  const client = await ask(`GET http://good.example.org:${port()}/`);
  const [answer] = await once(client, "data");
  expect(String(answer)).toStartWith("HTTP/1.1 502 ");
  await waitFor("the connection to end", () => reached.length === 0);
});

test("names that are never answered are bounded for each agent, and others resolve theirs", async () => {
  // Clients that have left are counted as well, because what they have asked for goes on.
  for (let count = 0; count < 256; count += 1)
    (await ask(`CONNECT n${count}.example.net:443`)).destroy();
  await waitFor("the lookups", () => unanswered.length === 256);
  expect(await answerTo("CONNECT more.example.net:443")).toStartWith("HTTP/1.1 503 ");
  expect(unanswered).toHaveLength(256);
  expect(await answerTo(`CONNECT good.example.org:${port()}`, "other")).toStartWith(
    "HTTP/1.1 200 ",
  );
  for (const answer of unanswered.splice(0)) answer([]);
  await waitFor("room", async () =>
    (await answerTo(`CONNECT good.example.org:${port()}`)).startsWith("HTTP/1.1 200 "),
  );
});

test("what an agent writes fills no log", async () => {
  expect(await answerTo(`CONNECT ${"a".repeat(8_000)}.example.net:443`)).toStartWith(
    "HTTP/1.1 403 ",
  );
  const longest = Math.max(...lines.map((line) => JSON.stringify(line).length));
  expect(longest).toBeLessThan(1_000);
});
