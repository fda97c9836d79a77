// The users of an instance's Redis, and their names. access.ts says what each may do there.
import { AgentName } from "../../model/ids.ts";

export type RedisUser =
  | { role: "orchestrator" | "gateway" | "person" }
  | { role: "agent"; agent: AgentName };

export function userNameOf(user: RedisUser): string {
  return user.role === "agent" ? `agent-${user.agent}` : user.role;
}

function isAgentUserName(name: string): boolean {
  return /^agent-.+$/.test(name);
}

/** The agent whose user this is; undefined for every other user. */
export function agentOfUser(name: string): AgentName | undefined {
  return isAgentUserName(name) ? AgentName.safeParse(name.slice("agent-".length)).data : undefined;
}

/**
 * True of a name that `userNameOf` may give. A user that the owner makes by hand needs another one.
 */
export function isUserName(name: string): boolean {
  return /^(?:orchestrator|gateway|person)$/.test(name) || isAgentUserName(name);
}
