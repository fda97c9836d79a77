// The users of an instance's Redis, and their names. access.ts says what each may do there.
import { AgentName, type InstanceName } from "../../model/ids.ts";

export type RedisUser =
  | { role: "orchestrator" | "gateway" | "notary" | "person" }
  | { role: "agent"; agent: AgentName };

/**
 * The beginning of the names of all users that the instance has in a Redis that is not its own
 * alone. No name of an instance or an agent has a dot.
 */
export function sharedPrefix(instance: InstanceName): string {
  return `sett.${instance}.`;
}

/** The same of the user who has this name; empty in a Redis that is the instance's own. */
export function prefixOfUser(name: string): string {
  return /^sett\.[^.]+\./.exec(name)?.[0] ?? "";
}

export function userNameOf(user: RedisUser, prefix = ""): string {
  return `${prefix}${user.role === "agent" ? `agent-${user.agent}` : user.role}`;
}

/** The agent whose user this is; undefined for every other user, also one of another prefix. */
export function agentOfUser(name: string, prefix = ""): AgentName | undefined {
  const start = `${prefix}agent-`;
  return name.startsWith(start) ? AgentName.safeParse(name.slice(start.length)).data : undefined;
}

/**
 * True of a name that `userNameOf` may give. A user that the owner makes by hand needs another one.
 */
export function isUserName(name: string, prefix = ""): boolean {
  if (!name.startsWith(prefix)) return false;
  return /^(?:orchestrator|gateway|notary|person|agent-.+)$/.test(name.slice(prefix.length));
}
