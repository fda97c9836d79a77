// A network for which the Engine has no addresses left. The Engine is real; the answer is given by
// a proxy, so that others keep theirs.
import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InstanceName } from "../../../lib/model/ids.ts";
import { dockerRuntime } from "../../../lib/runtime/docker/runtime.ts";
import { writeLabels } from "../../../lib/runtime/labels.ts";

test("an Engine without addresses for a network says so with the way out, and how many networks are Sett's", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sett-pools-"));
  const socketPath = join(folder, "docker.sock");
  const labels = {
    instance: InstanceName.parse("demo"),
    component: "network" as const,
    version: "1",
    workspace: "/w",
  };
  const listed = JSON.stringify([
    { Name: "bridge", Labels: {} },
    { Name: "sett-demo", Labels: writeLabels(labels) },
  ]);
  // As Docker 20.10 and 28 say it.
  const refusals = [
    "could not find an available, non-overlapping IPv4 address pool among the defaults to assign to the network",
    "all predefined address pools have been fully subnetted",
  ];
  const left = [...refusals];
  const server = createServer((request, answer) => {
    const refuse = () =>
      answer
        .writeHead(500, { "content-type": "application/json" })
        .end(JSON.stringify({ message: left.shift() }));
    request.resume().on("end", () => (request.method === "POST" ? refuse() : answer.end(listed)));
  });
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  const { apply } = await dockerRuntime({ socketPath });
  for (const _ of refusals)
    expect(
      await apply.createNetwork("sett-new", labels).catch((error: unknown) => error),
    ).toMatchObject({
      code: "docker-failed",
      message: "Docker has no addresses left for another network: it has 2, 1 of them Sett's.",
      hint: expect.stringContaining("docker network prune"),
    });
  expect(left).toEqual([]);
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true });
});
