// Shows what one connection can take from a Redis with the settings of `sett up`, while others
// work.
import { afterAll, expect, test } from "bun:test";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { connectionSettings, redisSettings } from "../../../apps/cli/services/redis-settings.ts";
import { maxPayloadBytes } from "../../../lib/model/artefact.ts";
import { startRedisServer } from "../../support/redis/redis-server.ts";
import { waitFor } from "../../support/wait-for.ts";

const mebibyte = 1024 ** 2;
const clientBytes = 96 * mebibyte;
const memory: Record<string, string> = {
  $maxmemory: String(4 * clientBytes),
  $maxmemory_clients: String(clientBytes),
  $maxmemory_answer: String(clientBytes),
};
const settings = redisSettings.map((line) => line.replace(/\$\w+/, (name) => memory[name] ?? ""));
const server = await startRedisServer({
  settings: settings.filter((line) => !line.startsWith("save")),
});
afterAll(() => server[Symbol.asyncDispose]());

const usedMebibytes = async () =>
  Number(/used_memory:(\d+)/.exec(await server.cli("INFO", "memory"))?.[1]) / mebibyte;
const evicted = async () =>
  Number(/evicted_clients:(\d+)/.exec(await server.cli("INFO", "stats"))?.[1]);

/**
 * A client without manners. `ended` resolves with what Redis said before it ended the connection.
 */
async function intruder(): Promise<{ socket: Socket; ended: Promise<string> }> {
  const socket = connect(server.port, "127.0.0.1");
  await once(socket, "connect");
  const { promise: ended, resolve } = Promise.withResolvers<string>();
  let reply = "";
  socket.on("data", (chunk) => {
    reply = (reply + chunk).slice(0, 200);
  });
  socket.on("error", () => undefined);
  socket.on("close", () => resolve(reply));
  return { socket, ended };
}

/**
 * Writes `chunk` again and again, as fast as Redis takes it, until the connection ends; at most
 * `times` times.
 */
async function pour(socket: Socket, chunk: Uint8Array, times: number): Promise<void> {
  for (let count = 0; count < times && !socket.destroyed; count++) {
    await new Promise<void>((resolve) => {
      socket.once("close", resolve);
      socket.write(chunk, () => {
        socket.off("close", resolve);
        resolve();
      });
    });
  }
}

test("Redis takes every setting as it is written", async () => {
  const wanted = Object.fromEntries(
    connectionSettings.map((line) => line.split(" ") as [string, string]),
  );
  expect(wanted).toMatchObject({
    "proto-max-bulk-len": "64mb",
    "client-query-buffer-limit": "80mb",
  });
  const read = await server.cli(
    "CONFIG",
    "GET",
    ...Object.keys(wanted),
    "maxmemory-clients",
    "maxmemory-policy",
    "appendonly",
    "appendfsync",
  );
  const words = read.split("\n");
  const found = Object.fromEntries(
    words.flatMap((word, place) => (place % 2 === 0 ? [[word, words[place + 1]]] : [])),
  );
  expect(found).toEqual({
    "proto-max-bulk-len": String(64 * mebibyte),
    "client-query-buffer-limit": String(80 * mebibyte),
    timeout: "300",
    "tcp-keepalive": "60",
    "slowlog-log-slower-than": "2000",
    "maxmemory-clients": String(clientBytes),
    "maxmemory-policy": "noeviction",
    appendonly: "yes",
    // A crash of the host takes what Redis has written since its last look, a second before, and
    // what it writes meanwhile.
    appendfsync: "everysec",
  });
});

test("a value of more than 64 MiB is refused before it is sent, and its connection ended", async () => {
  const { socket, ended } = await intruder();
  socket.write(
    `*5\r\n$4\r\nXADD\r\n$3\r\nout\r\n$1\r\n*\r\n$4\r\nbody\r\n$${64 * mebibyte + 1}\r\n`,
  );
  expect(await ended).toContain("Protocol error: invalid bulk length");
});

test("a command of many values, each of them allowed, ends its own connection: others write meanwhile, and no memory is kept", async () => {
  const before = [await usedMebibytes(), await evicted()] as const;
  const { socket, ended } = await intruder();
  socket.write("*401\r\n$4\r\nXADD\r\n$3\r\nout\r\n$1\r\n*\r\n");
  const value = Buffer.concat([
    Buffer.from(`$${4 * mebibyte}\r\n`),
    Buffer.alloc(4 * mebibyte, "x"),
    Buffer.from("\r\n"),
  ]);
  let writes = 0;
  const writing = waitFor("the end of the connection", async () => {
    expect(await server.cli("SET", "other", String(writes))).toBe("OK");
    writes += 1;
    return socket.destroyed;
  });
  await pour(socket, value, 200);
  await writing;
  await ended;
  expect(writes).toBeGreaterThan(0);
  expect(await evicted()).toBe(before[1] + 1);
  await waitFor("the memory", async () => (await usedMebibytes()) < before[0] + 8);
});

test("a client that asks for much and reads none of it is ended as well", async () => {
  await server.cli("SETRANGE", "much", String(16 * mebibyte - 1), "x");
  const before = await usedMebibytes();
  const { socket, ended } = await intruder();
  socket.pause();
  const own = `127.0.0.1:${socket.localPort} `;
  socket.write("GET much\r\n".repeat(64));
  await waitFor(
    "its end",
    async () => !(await server.cli("CLIENT", "LIST")).includes(` addr=${own}`),
  );
  socket.resume();
  await ended;
  await waitFor("the memory", async () => (await usedMebibytes()) < before + 8);
  await server.cli("DEL", "much");
});

test("the longest text of a result passes: a payload of 16 MiB that is JSON itself", async () => {
  const { socket } = await intruder();
  const body = JSON.stringify({ artefact: { payload: '"'.repeat(maxPayloadBytes) } });
  expect(body.length).toBeGreaterThan(2 * maxPayloadBytes);
  socket.write(`*5\r\n$4\r\nXADD\r\n$3\r\nout\r\n$1\r\n*\r\n$4\r\nbody\r\n$${body.length}\r\n`);
  socket.write(`${body}\r\n`);
  await waitFor("the entry", async () => (await server.cli("XLEN", "out")) === "1");
  socket.destroy();
});
