// The configuration of the repository that a tool finds in its working copy.
import type { AgentName } from "../model/ids.ts";

/** Defaults for the tool's own git. It needs no clean-up, because the repository exists only as long as the grant. */
export function ownConfig(agentName: AgentName): string {
  return [
    `[user]\n\tname = ${agentName}\n\temail = ${agentName}@sett.invalid\n`,
    "[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n[advice]\n\tdetachedHead = false\n",
  ].join("");
}
