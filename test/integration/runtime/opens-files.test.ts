// An Engine that may not give a process so many open files. Its answers are given by a server, for
// Engines differ in their limit.
import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InstanceName } from "../../../lib/model/ids.ts";
import { dockerRuntime } from "../../../lib/runtime/docker/runtime.ts";

const labels = {
  instance: InstanceName.parse("demo"),
  component: "network" as const,
  version: "1",
  workspace: "/w",
};

const startOf = ["POST /containers/trial/start", "DELETE /containers/trial"];
const noProgram = 'exec: "/never-run": stat /never-run: no such file or directory';

// As runc, crun and an Engine that looks before it makes the container say it.
test.each([
  [
    "start",
    "error setting rlimits for ready process: error setting rlimit type 7: operation not permitted",
    false,
  ],
  [
    "start",
    "crun: setrlimit `RLIMIT_NOFILE`: Operation not permitted: OCI permission denied",
    false,
  ],
  ["start", noProgram, true],
  ["create", "invalid ulimit nofile: too high", false],
  ["create", "invalid RLIMIT_NOFILE", false],
  ["create", "no space left on device", undefined],
])("an Engine whose %s says `%s` gives so many files: %p", async (what, message, gives) => {
  const folder = await mkdtemp(join(tmpdir(), "sett-files-"));
  const socketPath = join(folder, "docker.sock");
  const requests: string[] = [];
  const server = createServer((request, answer) => {
    const say = (status: number, body: unknown) =>
      answer.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    let text = "";
    request
      .on("data", (chunk) => (text += chunk))
      .on("end", () => {
        const path = (request.url ?? "").replace(/^\/v[\d.]+/, "").replace(/\?.*/, "");
        if (path.endsWith("/create")) requests.push(JSON.stringify(JSON.parse(text).HostConfig));
        else if (request.method !== "GET") requests.push(`${request.method} ${path}`);
        if (path === "/images/json") say(200, [{ Id: "sha256:1", RepoTags: ["sett/cub:latest"] }]);
        else if (path.endsWith(`/${what}`)) say(500, { message });
        else if (path.endsWith("/create")) say(201, { Id: "trial", Warnings: [] });
        else answer.writeHead(204).end();
      });
  });
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  const { engine } = await dockerRuntime({ socketPath });
  const outcome = engine.opensFiles(500_000, labels);
  if (gives === undefined) await expect(outcome).rejects.toThrow(message);
  else expect(await outcome).toBe(gives);
  expect(requests).toEqual([
    '{"Ulimits":[{"Name":"nofile","Soft":500000,"Hard":500000}]}',
    ...(what === "start" ? startOf : []),
  ]);
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true });
});
