// A service that is reached by TLS serves those who prove who they are, and answers no other. A
// caller proves nothing to a service that is another.
import { describe, expect, test } from "bun:test";
import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { connect as connectTls, createServer, type TLSSocket } from "node:tls";
import { $ } from "bun";
import { type Clock, systemClock } from "../../lib/async/clock.ts";
import { writeAddress } from "../../lib/model/proven-address.ts";
import { authorityOf } from "../../lib/reach/authority.ts";
import { dialProven } from "../../lib/reach/dial.ts";
import { proofKeyOf } from "../../lib/reach/keys.ts";
import { writeProof } from "../../lib/reach/proof.ts";
import { call, everything, openService, otherKey, serviceKey } from "../support/reach/scene.ts";
import { root } from "../support/root.ts";
import { waitFor } from "../support/wait-for.ts";

/** As a program without the cub would connect: whatever the certificate is. */
async function connected(port: number): Promise<TLSSocket> {
  const socket = connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false });
  await once(socket, "secureConnect");
  return socket;
}

test("each caller is served as what it proves to be, and its bytes go both ways", async () => {
  await using service = await openService();
  expect(await call(service.addressOf("coder"))).toEqual({ answer: "coder:hello", problems: [] });
  expect(await call(service.addressOf("tester"), "x".repeat(1_000_000))).toEqual({
    answer: `tester:${"x".repeat(1_000_000)}`,
    problems: [],
  });
  expect(service.passed).toEqual(["coder", "tester"]);
  expect(service.reasons()).toEqual([]);
});

describe("who proves nothing gets nothing", () => {
  test("by plain text, as a command that connects to the port", async () => {
    await using service = await openService();
    const socket = connect(service.port, "127.0.0.1");
    socket.write("GET /anthropic/v1/models HTTP/1.1\r\nhost: gateway\r\n\r\n");
    expect(await everything(socket)).toBe("");
    expect(service.passed).toEqual([]);
  });

  test.each([
    ["a request in place of a proof", "GET / HTTP/1.1\r\n\r\n"],
    ["a name without a proof", "\x01\x05coder"],
  ])("by TLS with %s", async (_, text) => {
    await using service = await openService();
    const socket = await connected(service.port);
    socket.end(text);
    expect(await everything(socket)).toBe("");
    expect(service.passed).toEqual([]);
    await waitFor("its line in the log", () => service.reasons().length > 0);
  });

  test.each([
    ["another agent's name with its own key", "tester", proofKeyOf(serviceKey, "coder")],
    ["its key for another service", "coder", proofKeyOf(otherKey, "coder")],
    ["a guessed key", "coder", "00".repeat(32)],
    [
      "a good key for a name that the service does not know",
      "ghost",
      proofKeyOf(serviceKey, "ghost"),
    ],
  ])("with %s", async (_, way, key) => {
    await using service = await openService();
    expect((await call(service.addressOf(way, { key }))).answer).toBe("");
    expect(service.passed).toEqual([]);
    await waitFor("its line in the log", () => service.reasons().length > 0);
    expect(service.reasons()).toEqual(["its proof is wrong"]);
  });

  test("with the first bytes of a connection of another, sent again", async () => {
    await using service = await openService();
    const first = await connected(service.port);
    const captured = writeProof(first, "coder", proofKeyOf(serviceKey, "coder"));
    first.end(captured);
    expect(await everything(first)).toBe("coder:");
    const again = await connected(service.port);
    again.end(captured);
    expect(await everything(again)).toBe("");
    expect(service.passed).toEqual(["coder"]);
  });

  test("with a proof that another service of this instance was given", async () => {
    await using service = await openService();
    await using other = await openService({ serviceKey: otherKey });
    // A service that is in the hands of an attacker knows no more than what it is given.
    const socket = await connected(other.port);
    const delivered = writeProof(socket, "coder", proofKeyOf(otherKey, "coder"));
    const victim = await connected(service.port);
    victim.end(delivered);
    expect(await everything(victim)).toBe("");
    socket.destroy();
  });
});

describe("a service that is another gets no proof, and the caller says why", () => {
  /** It takes down what comes. */
  async function impostor(serviceKey: string, validity = {}) {
    const authority = authorityOf(serviceKey);
    const day = 24 * 3_600_000;
    const own = authority.issue({
      notBefore: new Date(Date.now() - day),
      notAfter: new Date(Date.now() + day),
      ...validity,
    });
    const got: string[] = [];
    const server = createServer({ ...own, minVersion: "TLSv1.3" }, (socket) => {
      socket.on("data", (part) => void got.push(part.toString("latin1")));
      socket.on("error", () => undefined);
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    return { port, got, [Symbol.dispose]: () => void server.close() };
  }

  test("an authority that an attacker has made", async () => {
    await using service = await openService();
    using other = await impostor(otherKey);
    const { answer, problems } = await call(service.addressOf("coder", { port: other.port }));
    expect({ answer, got: other.got }).toEqual({ answer: "", got: [] });
    expect(problems).toHaveLength(1);
  });

  test("also where its surroundings trust any authority, and check nothing", async () => {
    await using service = await openService();
    using other = await impostor(otherKey);
    const authority = join(await mkdtemp(join(tmpdir(), "sett-reach-")), "authority.pem");
    const { certificate } = authorityOf(otherKey);
    await writeFile(authority, new X509Certificate(certificate).toString());
    const env = {
      ...{ NODE_TLS_REJECT_UNAUTHORIZED: "0", NODE_EXTRA_CA_CERTS: authority },
      ...{
        SSL_CERT_FILE: authority,
        TO: writeAddress({ ...service.addressOf("coder"), port: other.port }),
      },
    };
    const program = join(root, "test/support/reach/caller.ts");
    const said = await $`${process.execPath} ${program}`.env({ ...process.env, ...env }).json();
    expect({ ...said, got: other.got }).toEqual({
      answer: "",
      problems: [expect.any(String)],
      got: [],
    });
    await rm(dirname(authority), { recursive: true });
  });

  test.each([
    ["has expired", { notAfter: new Date(Date.now() - 1_000) }],
    ["is not valid yet", { notBefore: new Date(Date.now() + 3_600_000) }],
  ])("a certificate that %s", async (_, validity) => {
    await using service = await openService();
    using old = await impostor(serviceKey, validity);
    const { answer, problems } = await call(service.addressOf("coder", { port: old.port }));
    expect({ answer, got: old.got }).toEqual({ answer: "", got: [] });
    expect(problems).toHaveLength(1);
  });

  test("a port that speaks no TLS", async () => {
    await using service = await openService();
    const { answer, problems } = await call(service.addressOf("coder", { port: service.behind }));
    expect(answer).toBe("");
    expect(problems).toHaveLength(1);
  });
});

describe("a year without `sett up`", () => {
  const dayMs = 24 * 3_600_000;
  const daysAgo = (days: number): Clock => ({
    now: () => new Date(Date.now() - days * dayMs),
    passedMs: systemClock.passedMs,
  });
  /** At first `days` ago. */
  const clockOf = (days: number) => {
    let current = daysAgo(days);
    const clock: Clock = { now: () => current.now(), passedMs: systemClock.passedMs };
    const toToday = () => {
      current = systemClock;
    };
    return { clock, toToday };
  };

  test("a certificate that has expired is renewed by the service, and callers come again", async () => {
    const { clock, toToday } = clockOf(400);
    await using service = await openService({ clock });
    const before = await call(service.addressOf("coder"));
    expect(before).toEqual({ answer: "", problems: [expect.stringContaining("expired")] });
    toToday();
    service.renew();
    expect((await call(service.addressOf("coder"))).answer).toBe("coder:hello");
  });

  test("a renewal cuts no connection, and no caller needs to know of it", async () => {
    const { clock, toToday } = clockOf(11);
    await using service = await openService({ clock });
    const { socket, isReady } = dialProven(service.addressOf("coder"), () => undefined);
    const answer = everything(socket);
    await isReady;
    toToday();
    const [first, second] = [await certificateAt(service.port), await renewedAt(service)];
    expect(second).not.toBe(first);
    expect((await call(service.addressOf("coder"))).answer).toBe("coder:hello");
    socket.end("still here");
    expect(await answer).toBe("coder:still here");
  });

  async function certificateAt(port: number): Promise<string> {
    const socket = await connected(port);
    const { fingerprint256 } = socket.getPeerCertificate();
    socket.destroy();
    return fingerprint256;
  }

  async function renewedAt(service: Awaited<ReturnType<typeof openService>>): Promise<string> {
    service.renew();
    return await certificateAt(service.port);
  }
});

test("slow handshakes in great number leave other addresses their connections, and end in time", async () => {
  await using service = await openService({
    bounds: { most: 8, patienceMs: 10_000 },
  });
  let ended = 0;
  // Another agent has another address.
  const from = { port: service.port, host: "127.0.0.1", localAddress: "127.0.0.2" };
  const slow = Array.from({ length: 200 }, () => connect(from));
  const all = slow.map((socket) => everything(socket).finally(() => ended++));
  await waitFor("all but a few are refused", () => ended >= 192);
  expect(await call(service.addressOf("coder"))).toEqual({ answer: "coder:hello", problems: [] });
  await Promise.all(all);
  expect(service.passed).toEqual(["coder"]);
});
