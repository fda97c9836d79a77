// The configuration of the repository that a tool finds in its working copy.
import type { AgentName } from "../model/ids.ts";

/** The address in an agent's commits. Mail to it reaches no person: the domain is reserved. */
export function emailOf(agent: AgentName): string {
  return `${agent}@sett.invalid`;
}

/** Defaults for the tool's own git. It needs no clean-up, because the repository exists only as long as the grant. */
export function ownConfig(agentName: AgentName): string {
  return [
    `[user]\n\tname = ${agentName}\n\temail = ${emailOf(agentName)}\n`,
    "[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n[advice]\n\tdetachedHead = false\n",
  ].join("");
}
