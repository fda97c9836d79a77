// Store and exchange by the service of packs, held to the suite of their port.

import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { WorkingCopy } from "../../../lib/git/copy/working-copy.ts";
import { AgentPacks } from "../../../lib/git/packs/agent-packs.ts";
import { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import { AgentName } from "../../../lib/model/ids.ts";
import { agentsGit } from "../../support/git/folders.ts";
import {
  commitFiles,
  git,
  hostEnv,
  instance,
  newArtefactId,
  sampleRepository,
  toolGit,
  write,
} from "../../support/git/sample-repository.ts";
import { type ServedPacks, servePacks } from "../../support/git/served-packs.ts";
import { exchangeSuite } from "./suite.ts";

const [one, other] = [AgentName.parse("one"), AgentName.parse("other")];

/** True where a command of the agent gets what it wants at its agent's socket. */
async function mayCall(packs: ServedPacks, method: string, path: string, body?: string) {
  const unix = packs.socketOf(one).url.slice("unix:".length);
  const answer = await fetch(`http://localhost/${path}`, { method, unix, ...(body && { body }) });
  return answer.ok;
}

exchangeSuite("a service of packs", async () => {
  const sample = sampleRepository();
  const packs = await servePacks(sample.root, [one, other]);
  const repository = await HostRepository.open(sample.path, {
    env: hostEnv,
    packsOf: async () => packs.host,
  });
  const host = repository.exchange(instance);
  return {
    ...{ root: sample.root, path: sample.path, base: sample.base },
    host,
    async make(wanted) {
      await host.make({ ...wanted, isServed: true });
      await host.serve();
    },
    agent: (agentName) => packs.agent(agentName),
    command: {
      leave: async (_, name) => await mayCall(packs, "PUT", `shelves/${name}`, "#!/bin/sh\n"),
      removeAll: async (agent) => {
        const all = (await host.holdings()).find((each) => each.agent === agent);
        if (all === undefined) throw new Error("It has published nothing.");
        const commits = await (await fetch(`${packs.host.url}/shelves`)).json();
        const gone = await Promise.all(
          commits.map(({ commit }: { commit: string }) =>
            mayCall(packs, "DELETE", `shelves/${commit}/${agent}`),
          ),
        );
        return gone.includes(true);
      },
      damage: async (_, commit) => await mayCall(packs, "PUT", `shelves/${commit}`, "nothing"),
    },
    async [Symbol.asyncDispose]() {
      await packs[Symbol.asyncDispose]();
      sample[Symbol.dispose]();
    },
  };
});

test("submodules and files of LFS come with it, and a commit goes from one agent to another", async () => {
  using sample = sampleRepository();
  const { root, path } = sample;
  await using packs = await servePacks(root, [one, other]);
  const door = join(root, "door");
  mkdirSync(door);
  git(door, "init", "-q", "-b", "main");
  commitFiles(door, { "door.txt": "door\n" });
  git(path, "-c", "protocol.file.allow=always", "submodule", "add", "-q", "../door", "door");
  const large = "large\n".repeat(1_000);
  const [content, pointer] = lfsFile(large);
  write(path, { [content]: large });
  const attributes = "*.bin filter=lfs diff=lfs merge=lfs -text\n";
  const base = commitFiles(path, { ".gitattributes": attributes, "large.bin": pointer });
  const packsOf = async () => packs.host;
  const repository = await HostRepository.open(path, { env: hostEnv, packsOf });
  const host = repository.exchange(instance);
  await host.make({ writers: [one, other], isServed: true });
  await host.serve();
  const copyOf = (agentName: AgentName) => {
    const workspaceDir = join(root, `workspace-${agentName}`);
    const program = agentsGit;
    const exchange = packs.agent(agentName);
    return {
      workspaceDir,
      copy: new WorkingCopy({ git: program, agentName, exchange, workspaceDir }),
    };
  };
  const [writer, reader] = [copyOf(one), copyOf(other)];
  await writer.copy.prepare(base);
  const [brought, broughtPointer] = lfsFile("brought by an agent");
  write(writer.workspaceDir, { [brought]: "brought by an agent" });
  const files = { "made.txt": "made\n", "brought.bin": broughtPointer };
  const made = commitFiles(writer.workspaceDir, files, "Made", toolGit);
  await writer.copy.publish(made, base, { base, judge: async () => undefined });
  await reader.copy.prepare(made, [{ commit: made, agent: one }]);
  const read = (name: string) => readFileSync(join(reader.workspaceDir, name), "utf8");
  expect(["made.txt", "door/door.txt", "large.bin"].map(read)).toEqual(["made\n", "door\n", large]);
  expect(read("brought.bin")).toBe("brought by an agent");
  const artefact = newArtefactId();
  await repository.fetchCommits(instance, [{ artefact, commit: made, agent: one }]);
  expect(readFileSync(join(path, brought), "utf8")).toBe("brought by an agent");
});

/** Where a repository keeps a content of LFS, and the pointer to it. */
function lfsFile(content: string): [path: string, pointer: string] {
  const oid = createHash("sha256").update(content).digest("hex");
  return [
    `.git/lfs/objects/${oid.slice(0, 2)}/${oid.slice(2, 4)}/${oid}`,
    `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${content.length}\n`,
  ];
}

test("a reader has what agents see, and neither sees shelves nor writes to anything", async () => {
  using sample = sampleRepository();
  const { root, path, base } = sample;
  await using packs = await servePacks(root, [one]);
  const repository = await HostRepository.open(path, {
    ...{ env: hostEnv, packsOf: async () => packs.host },
  });
  const host = repository.exchange(instance);
  await host.make({ writers: [one], isServed: true });
  await host.serve();
  const unix = packs.reader.url.slice("unix:".length);
  const statusOf = async (method: string, of: string, body?: string) =>
    (await fetch(`http://localhost/${of}`, { method, unix, ...(body && { body }) })).status;
  expect(await statusOf("GET", "store")).toBe(200);
  const refused = [
    ["GET", "shelves"],
    ["GET", `shelves/${base}/one`],
    ["PUT", `shelves/${base}`, "pack"],
    ["DELETE", `shelves/${base}/one`],
    ["PUT", "store", "{}"],
    ["PUT", `files/${"0".repeat(64)}`, "x"],
  ] as const;
  for (const [method, of, body] of refused)
    expect([method, of, await statusOf(method, of, body)]).toEqual([method, of, 403]);
  const [storeDir, workspaceDir] = [join(root, "copy"), join(root, "work")];
  for (const folder of [storeDir, workspaceDir]) mkdirSync(folder);
  const exchange = new AgentPacks({
    ...{ agentName: one, address: packs.reader, storeDir, isReader: true },
  });
  const copy = new WorkingCopy({ git: agentsGit, agentName: one, exchange, workspaceDir });
  await copy.prepare(base);
  const made = commitFiles(workspaceDir, { "made.txt": "made\n" }, "Made", toolGit);
  await copy.publish(made, base, { base, judge: async () => undefined });
  expect(await (await fetch(`${packs.host.url}/shelves`)).json()).toEqual([]);
});
