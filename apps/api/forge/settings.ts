// The settings that the service of forges gets from `sett up`: agents and forges in a variable, and
// tokens and secrets in files of its own.
import { z } from "zod";
import { ForgesFile, PullRequestFile } from "../../../lib/model/config-forges.ts";
import type { Actor } from "../../../lib/model/event.ts";
import { AgentName } from "../../../lib/model/ids.ts";

/** It is JSON. `accounts`: account at the forge → person. */
export const ForgeSettings = z.object({
  forges: ForgesFile,
  agents: z.array(
    z.object({
      name: AgentName,
      forge: z.string(),
      pull_request: PullRequestFile,
      accounts: z.record(z.string(), z.string()),
    }),
  ),
});
export type ForgeSettings = z.infer<typeof ForgeSettings>;
export type PullAgent = ForgeSettings["agents"][number];

export function forgeActor({ forge }: PullAgent): Actor {
  return `forge:${forge}`;
}
