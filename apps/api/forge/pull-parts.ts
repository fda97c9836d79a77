// The shapes that a built-in agent has at hand when it looks at a pull request.
import type { PersonBlackboard } from "../../../lib/blackboard/port/holders.ts";
import type { GoalReport } from "../../../lib/client/facts/report.ts";
import type { Forge } from "../../../lib/forge/port.ts";
import type { PushAt } from "../../../lib/forge/receive-pack.ts";
import type { CommitReader } from "../../../lib/git/repository/unpublished.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import type { PullAgent } from "./settings.ts";

export type PullParts = {
  board: PersonBlackboard;
  forge: Forge;
  pushAt: PushAt;
  agent: PullAgent;
  /** A view of the repository that has the commits of results. */
  reader: () => Promise<CommitReader>;
  report: (artefact: Artefact) => Promise<GoalReport>;
  /** The secrets that must not leave, by name. */
  secrets: () => Promise<ReadonlyMap<string, Buffer>>;
};
