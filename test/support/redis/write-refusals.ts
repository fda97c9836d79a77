// The ways in which a real Redis is there and takes no writes: how each is brought about, and
// healed.
import { mkdir, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { waitFor } from "../wait-for.ts";
import type { RedisServer } from "./redis-server.ts";

export type WriteRefusal = {
  says: string;
  begin(server: RedisServer): Promise<unknown>;
  end(server: RedisServer): Promise<unknown>;
};

const set = (server: RedisServer, name: string, value: string) =>
  server.cli("CONFIG", "SET", name, value);

/** No dump can take the place of a folder. */
const inTheWay = ({ folder }: RedisServer) => join(folder, "dump.rdb");

async function dump(server: RedisServer, status: "ok" | "err"): Promise<void> {
  await server.cli("BGSAVE");
  await waitFor("the dump", async () =>
    (await server.cli("INFO", "persistence")).includes(`rdb_last_bgsave_status:${status}`),
  );
}

export const writeRefusals: Record<"OOM" | "MISCONF" | "READONLY" | "NOREPLICAS", WriteRefusal> = {
  OOM: {
    says: "Redis refuses writes: OOM command not allowed when used memory > 'maxmemory'.",
    begin: (server) => set(server, "maxmemory", "1"),
    end: (server) => set(server, "maxmemory", "0"),
  },
  MISCONF: {
    says: "Redis refuses writes: MISCONF Redis is configured to save RDB snapshots",
    async begin(server) {
      await set(server, "save", "3600 1");
      await mkdir(inTheWay(server));
      await dump(server, "err");
    },
    async end(server) {
      await rmdir(inTheWay(server));
      await dump(server, "ok");
    },
  },
  READONLY: {
    says: "Redis refuses writes: READONLY You can't write against a read only replica.",
    // It copies a server that is not there, so that it keeps what it has.
    begin: (server) => server.cli("REPLICAOF", "127.0.0.1", "1"),
    end: (server) => server.cli("REPLICAOF", "NO", "ONE"),
  },
  NOREPLICAS: {
    says: "Redis refuses writes: NOREPLICAS Not enough good replicas to write.",
    begin: (server) => set(server, "min-replicas-to-write", "1"),
    end: (server) => set(server, "min-replicas-to-write", "0"),
  },
};
