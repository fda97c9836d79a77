// The configuration of the repository that a tool finds in its working copy.
import type { AgentName } from "../../model/ids.ts";

/** The address in an agent's commits. Mail to it reaches no person: the domain is reserved. */
export function emailOf(agent: AgentName): string {
  return `${agent}@sett.invalid`;
}

/**
 * By these variables git takes an author and a committer before it looks into any configuration:
 * `git config user.name` of an image or of a command leaves the agent's commits its own. A command
 * that means another author says so by `--author` or by the variables.
 */
export function ownIdentity(agentName: AgentName): Record<string, string> {
  const email = emailOf(agentName);
  return {
    ...{ GIT_AUTHOR_NAME: agentName, GIT_AUTHOR_EMAIL: email },
    ...{ GIT_COMMITTER_NAME: agentName, GIT_COMMITTER_EMAIL: email },
  };
}

/**
 * Defaults for the tool's own git. It needs no clean-up, because the repository exists only as long
 * as the grant. `sparse`: the checkout has a part of the files.
 */
export function ownConfig(agentName: AgentName, sparse?: { isCone: boolean }): string {
  return [
    ...(sparse === undefined
      ? []
      : [`[core]\n\tsparseCheckout = true\n\tsparseCheckoutCone = ${sparse.isCone}\n`]),
    `[user]\n\tname = ${agentName}\n\temail = ${emailOf(agentName)}\n`,
    "[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n[advice]\n\tdetachedHead = false\n",
  ].join("");
}
