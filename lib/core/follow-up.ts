// Says what can follow when reviewers do not approve.
import type { StandIn } from "../model/claim.ts";
import type { AgentName, ArtefactId } from "../model/ids.ts";

export type FollowUp =
  | Rework
  /**
   * Feedback on a goal goes to its author as a question: the answer becomes the goal's next
   * version.
   */
  | { kind: "question"; question: { payload: string; sources: ArtefactId[] } }
  | {
      kind: "failure";
      failure: { id: ArtefactId; type: string; reason: string; sources: ArtefactId[] };
    };

/**
 * The producer, or another agent of its role in its place, makes the next version, with the reviews
 * as context. `cause` makes the claim unique for this round. `dialogue`: earlier questions and
 * answers.
 */
export type Rework = {
  kind: "rework";
  agent: AgentName;
  reviews: ArtefactId[];
  cause: string;
  standIn?: StandIn;
  dialogue?: ArtefactId[];
};
