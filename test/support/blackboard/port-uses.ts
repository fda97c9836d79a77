// Finds which methods of the blackboard's port a program uses: those whose names are in its
// sources.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Blackboard } from "../../../lib/blackboard/port/blackboard.ts";
import type { RedisUser } from "../../../lib/blackboard/redis/users.ts";
import { InstanceName } from "../../../lib/model/ids.ts";
import { root } from "../root.ts";
import { blackboardInMemory } from "./in-memory.ts";

export type PortMethod = Extract<keyof Blackboard, string>;
export type Role = RedisUser["role"];

const programs: Record<Role, string[]> = {
  agent: ["apps/cub", "lib/blackboard/mail/by-mail.ts"],
  gateway: ["apps/gateway"],
  notary: ["apps/orchestrator/notary"],
  orchestrator: ["apps/orchestrator", "lib/blackboard/records/read-goal-facts.ts"],
  person: [
    "apps/cli",
    "apps/api",
    "lib/client",
    "lib/telemetry",
    "lib/blackboard/records/read-goal-facts.ts",
  ],
};

/** These methods are about a program's own connection. */
const ofConnection = ["contactSince", "contactProblem", "onReconnect", "connectionNumber"];

/**
 * These are what an agent says by mail, and what it does only where no `sett up` has made users: it
 * registers itself.
 */
const notOwn: Partial<Record<Role, string[]>> = {
  agent: [
    "placeBid",
    "allowBidCalls",
    "acceptGrant",
    "renewLease",
    "notePreparing",
    "finishGrant",
    "registerAgents",
  ],
};

export async function portUses(role: Role): Promise<Set<PortMethod>> {
  const text = programs[role].flatMap((path) => sourcesAt(join(root, path))).join("\n");
  await using board = await blackboardInMemory({ instance: InstanceName.parse("any") }).open();
  const methods = Object.entries(board).flatMap(([name, value]) =>
    typeof value === "function" ? [name as PortMethod] : [],
  );
  const isUsed = (name: PortMethod) => new RegExp(`\\.${name}\\b`).test(text);
  return new Set(
    methods.filter(
      (name) => isUsed(name) && !ofConnection.includes(name) && !notOwn[role]?.includes(name),
    ),
  );
}

function sourcesAt(path: string): string[] {
  if (path.endsWith(".ts")) return [readFileSync(path, "utf8")];
  const files = readdirSync(path, { recursive: true, encoding: "utf8" });
  return files.flatMap((file) =>
    file.endsWith(".ts") ? [readFileSync(join(path, file), "utf8")] : [],
  );
}
