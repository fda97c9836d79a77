// The service of packs in this process, for an instance of a test: a socket for each agent, and a
// port for the host.
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { AgentPacks } from "../../../lib/git/packs/agent-packs.ts";
import { PackService, type ShelfLimits } from "../../../lib/git/packs/pack-service.ts";
import type { PacksAddress } from "../../../lib/git/packs/packs-client.ts";
import { type Caller, packsServer } from "../../../lib/git/packs/serve-packs.ts";
import type { AgentName } from "../../../lib/model/ids.ts";

export type ServedPacks = AsyncDisposable & {
  readonly folder: string;
  readonly host: PacksAddress;
  /** What no caller is to blame for. */
  readonly errors: readonly unknown[];
  socketOf(agent: AgentName): PacksAddress;
  /** The way of a person who looks at a grant. */
  readonly reader: PacksAddress;
  /** The side of a new container of the agent. */
  agent(agentName: AgentName): AgentPacks;
};

/** `root`: of the test's files. What an earlier service has left there is there. */
export async function servePacks(
  root: string,
  writers: readonly AgentName[],
  limits: Partial<ShelfLimits> & { readers?: readonly AgentName[] } = {},
): Promise<ServedPacks> {
  const folder = join(root, "packs");
  mkdirSync(folder, { recursive: true });
  const { readers = [], ...more } = limits;
  const shelves = new Map(writers.map((agent) => [agent, 1024 ** 3]));
  const service = await PackService.open(folder, { shelves, ...more });
  const servers: Server[] = [];
  const errors: unknown[] = [];
  const listen = async (caller: Caller, at: string | number) => {
    const server = packsServer({
      ...{ service, callerOf: () => caller },
      onError: (error) => errors.push(error),
    });
    servers.push(server);
    if (typeof at === "string") server.listen(at);
    else server.listen(at, "127.0.0.1");
    await once(server, "listening");
    return server;
  };
  const pathOf = (agent: AgentName) => join(root, `${agent}-${servers.length}.sock`);
  const sockets = new Map<AgentName, string>();
  for (const name of [...writers, ...readers]) {
    const path = pathOf(name);
    sockets.set(name, path);
    await listen({ role: "agent", name }, path);
  }
  const readerPath = join(root, "reader.sock");
  await listen({ role: "reader" }, readerPath);
  const { port } = (await listen({ role: "host" }, 0)).address() as AddressInfo;
  const socketOf = (agent: AgentName) => ({ url: `unix:${sockets.get(agent)}` });
  return {
    ...{ folder, errors, reader: { url: `unix:${readerPath}` } },
    host: { url: `http://127.0.0.1:${port}` },
    socketOf,
    agent(agentName) {
      const storeDir = join(root, `store-${crypto.randomUUID()}`);
      mkdirSync(storeDir);
      return new AgentPacks({ agentName, address: socketOf(agentName), storeDir, patienceMs: 500 });
    },
    async [Symbol.asyncDispose]() {
      for (const server of servers) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}
