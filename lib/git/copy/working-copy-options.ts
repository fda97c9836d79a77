// Where a working copy is, whose it is, and where its objects come from.
import type { AgentName } from "../../model/ids.ts";
import type { Git } from "../run/run-git.ts";

export interface WorkingCopyOptions {
  /** In an agent's container the git beside the cub, with the environment that it needs there. */
  readonly git: Git;
  /**
   * The author of the commits that the tool makes, unless the tool's own git is configured
   * otherwise.
   */
  readonly agentName: AgentName;
  /** The workspace's object store, read-only: `/git/objects`. */
  readonly objectsDir: string;
  /** The exchange, where only the agent's own folder may be writable: `/git/exchange`. */
  readonly exchangeDir: string;
  /** The agent's own volume: `/workspace`. */
  readonly workspaceDir: string;
  /** True: files that git ignores stay for the next grant. */
  readonly keepsIgnored?: boolean;
  /** True: other containers of the agent publish in its folder as well. */
  readonly isFolderShared?: boolean;
  /** How long the first try of a checkout may take; two minutes without it. */
  readonly firstCheckoutMs?: number;
}
