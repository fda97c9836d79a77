// Warns of rules for a role that no agent has: allowed, because artefacts may be written by hand,
// but mostly a typing mistake.
import { userRole } from "../model/artefact.ts";
import type { SettConfig } from "../model/config.ts";
import { nearestWord } from "./nearest-word.ts";
import type { ConfigPath } from "./problems.ts";

export function unmatchedRoles(config: SettConfig): { path: ConfigPath; sentence: string }[] {
  const agents = [...config.agents, ...config.external, ...config.people, ...config.builtIn];
  const roles = [...agents.map((agent) => agent.role), userRole, "orchestrator"];
  return agents.flatMap((agent) =>
    agent.bids.flatMap(({ from }, index) => {
      if (from === undefined || from.includes("*") || roles.includes(from)) return [];
      const meant = nearestWord(from, roles);
      const path = ["agents", agent.name, "bids", index, "from"];
      return [
        {
          path,
          sentence: `no agent has the role \`${from}\`${meant === undefined ? "" : `; did you mean \`${meant}\`?`}`,
        },
      ];
    }),
  );
}
