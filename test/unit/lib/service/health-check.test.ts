import { expect, test } from "bun:test";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { Registry } from "prom-client";
import { runHealthcheck } from "../../../../lib/service/health-check.ts";
import { serve } from "../../../../lib/service/serve.ts";
import { createServiceApp, type Health } from "../../../../lib/service/service-app.ts";

test("the health check says why a service is not healthy, and nothing of one that is", async () => {
  let health: Health = { ok: true };
  const app = createServiceApp({
    service: "cub",
    health: () => health,
    metrics: new Registry(),
    state: () => ({}),
  });
  const server = serve({ port: 0, hostname: "127.0.0.1" }, app.fetch);
  const check = async () => {
    const said: string[] = [];
    return {
      exitCode: await runHealthcheck(server.port ?? 0, (reason) => said.push(reason), 200),
      said,
    };
  };
  expect(await check()).toEqual({ exitCode: 0, said: [] });
  health = { ok: false, reason: "The bid command does not run: /tmp is closed." };
  expect(await check()).toEqual({ exitCode: 1, said: [health.reason] });
  await server.stop();
  expect(await check()).toEqual({ exitCode: 1, said: [`Nothing answers at port ${server.port}.`] });
});

test("what is no report of a service is no health either", async () => {
  const server = serve(
    { port: 0, hostname: "127.0.0.1" },
    () => new Response("Starting.", { status: 503 }),
  );
  const said: string[] = [];
  expect(await runHealthcheck(server.port ?? 0, (reason) => said.push(reason))).toBe(1);
  expect(said).toEqual(["Starting."]);
  await server.stop();
});

test("a service that does not answer yet is waited for, by one check", async () => {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    if (connections < 3) socket.destroy();
    else socket.end("HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const said: string[] = [];
  const exitCode = await runHealthcheck(port, (reason) => said.push(reason), 120_000);
  expect({ exitCode, said, connections }).toEqual({ exitCode: 0, said: [], connections: 3 });
  server.close();
});
