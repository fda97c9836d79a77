// The options of a working copy: its place, its agent, and the source of its objects.
import type { AgentName } from "../../model/ids.ts";
import type { AgentExchange } from "../exchange/port.ts";
import type { Git } from "../run/run-git.ts";

export interface WorkingCopyOptions {
  /** In an agent's container the git beside the cub, with the environment that it needs there. */
  readonly git: Git;
  /**
   * The author of the commits that the tool makes, unless the tool's own git is configured
   * otherwise.
   */
  readonly agentName: AgentName;
  /** The agent's side of it: where objects come from, and where its commits go. */
  readonly exchange: AgentExchange;
  /** The agent's own volume: `/workspace`. */
  readonly workspaceDir: string;
  /** True: files that git ignores stay for the next grant. */
  readonly keepsIgnored?: boolean;
  /** How long the first try of a checkout may take; two minutes without it. */
  readonly firstCheckoutMs?: number;
}
