// How the egress proxy finds addresses, from a real server of names.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { createSocket, type Socket } from "node:dgram";
import dns from "node:dns";
import { addressesOf } from "../../../lib/service/addresses-of.ts";

const before = dns.getServers();
let questions = 0;
let server: Socket;

beforeAll(async () => {
  server = createSocket("udp4");
  server.on("message", (question, { address, port }) => {
    questions += 1;
    if (question.includes("silent")) return;
    const end = question.indexOf(0, 12) + 5;
    const isOf4 = question.readUInt16BE(end - 4) === 1;
    // The name of the question, type A, class IN, for a second: 192.0.2.1.
    const answer = isOf4 ? [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4, 192, 0, 2, 1] : [];
    const head = [...question.subarray(0, 2), 0x81, 0x80, 0, 1, 0, isOf4 ? 1 : 0, 0, 0, 0, 0];
    server.send(Buffer.from([...head, ...question.subarray(12, end), ...answer]), port, address);
  });
  await new Promise<void>((ready) => server.bind(0, "127.0.0.1", ready));
  dns.setServers([`127.0.0.1:${server.address().port}`]);
});

afterAll(() => {
  dns.setServers(before);
  server.close();
});

test("a name is answered while many others wait for servers that are silent", async () => {
  const silent = Array.from({ length: 100 }, (_, count) =>
    addressesOf(`n${count}.silent.example.net`).catch(() => ["none"]),
  );
  expect(await Promise.race([addressesOf("good.example.org"), ...silent])).toEqual(["192.0.2.1"]);
  expect(questions).toBeGreaterThan(100);
});

test("names of this machine come from its own list", async () => {
  expect(await addressesOf("localhost")).toContain("127.0.0.1");
});
