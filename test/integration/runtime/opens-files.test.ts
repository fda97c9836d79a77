// An Engine that may not give a process so many open files, or has no such runtime. Its answers are
// given by a server, for Engines differ in their limit and their words.
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

/** Asks an Engine whose answer to `what` is an error, and returns what it says and was asked. */
async function trial(
  { what, status, message }: { what: string; status: number; message: string },
  asked: (engine: Awaited<ReturnType<typeof dockerRuntime>>["engine"]) => Promise<boolean>,
): Promise<{ outcome: boolean | string; requests: string[] }> {
  const folder = await mkdtemp(join(tmpdir(), "sett-trial-"));
  const socketPath = join(folder, "docker.sock");
  const requests: string[] = [];
  const server = createServer((request, answer) => {
    const say = (code: number, body: unknown) =>
      answer.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify(body));
    let text = "";
    request
      .on("data", (chunk) => (text += chunk))
      .on("end", () => {
        const path = (request.url ?? "").replace(/^\/v[\d.]+/, "").replace(/\?.*/, "");
        if (path.endsWith("/create")) requests.push(JSON.stringify(JSON.parse(text).HostConfig));
        else if (request.method !== "GET") requests.push(`${request.method} ${path}`);
        if (path === "/images/json") say(200, [{ Id: "sha256:1", RepoTags: ["sett/cub:latest"] }]);
        else if (path.endsWith(`/${what}`)) say(status, { message });
        else if (path.endsWith("/create")) say(201, { Id: "trial", Warnings: [] });
        else answer.writeHead(204).end();
      });
  });
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  const { engine } = await dockerRuntime({ socketPath });
  const outcome = await asked(engine).catch(String);
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true });
  return { outcome, requests };
}

// Runc, crun and an Engine that looks before it makes the container say it so.
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
  const said = { what, status: 500, message };
  const { outcome, requests } = await trial(said, ({ opensFiles }) => opensFiles(500_000, labels));
  expect(outcome).toEqual(gives ?? expect.stringContaining(message));
  expect(requests).toEqual([
    '{"Ulimits":[{"Name":"nofile","Soft":500000,"Hard":500000}]}',
    ...(what === "start" ? startOf : []),
  ]);
});

// Engines from 20.10 on say it so: some look for the program only when the container is started.
test.each([
  ["create", 400, "Unknown runtime specified io.containerd.lost.v2", false],
  ["create", 400, "unknown or invalid runtime name: io.containerd.lost.v2", false],
  [
    "start",
    500,
    'failed to resolve runtime path: runtime "io.containerd.lost.v2" binary not installed "containerd-shim-lost-v2": file does not exist',
    false,
  ],
  ["start", 400, `OCI runtime create failed: ${noProgram}`, true],
  ["create", 500, "no space left on device", undefined],
])(
  "an Engine whose %s answers %p with `%s` has the runtime: %p",
  async (what, status, message, has) => {
    const runtime = "io.containerd.lost.v2";
    const said = { what, status, message };
    const { outcome, requests } = await trial(said, (engine) =>
      engine.takesRuntime(runtime, labels),
    );
    expect(outcome).toEqual(has ?? expect.stringContaining(message));
    expect(requests).toEqual([
      '{"Runtime":"io.containerd.lost.v2"}',
      ...(what === "start" ? startOf : []),
    ]);
  },
);
