// Calls of tools that wait for a person. A part of the port.
import type { AskedCall } from "../../model/asked-call.ts";
import type { ArtefactId, GoalId } from "../../model/ids.ts";
import type { ModelToken } from "../../model/model-call.ts";
import type { TokenRefused } from "./models.ts";

export interface AskedCallBoard {
  /**
   * The running grant of the token wants to make this call. `allowed`: a person has allowed it, and
   * it is used up with that. `denied`: a person has not. `waits`: it is on record that a person is
   * to be asked. `full`: as many calls of this attempt wait as one question may have.
   */
  askCall(order: {
    goal: GoalId;
    token: ModelToken;
    call: Pick<AskedCall, "id" | "digest" | "server" | "tool" | "arguments">;
  }): Promise<
    | { outcome: "allowed"; answer: ArtefactId }
    | { outcome: "denied"; answer: ArtefactId; words: string }
    | { outcome: "waits" | "full" }
    | TokenRefused
  >;
  /** All of a goal, in no order that means anything. */
  readAskedCalls(goal: GoalId): Promise<AskedCall[]>;
  /** A person's word about a call that waits. `already`: it does not wait any more. */
  decideCall(order: {
    epoch: number;
    goal: GoalId;
    call: Pick<AskedCall, "id" | "claim_id" | "agent" | "digest">;
    isAllowed: boolean;
    answer: ArtefactId;
    words: string;
  }): Promise<{ outcome: "decided" | "already" | "fenced" }>;
}
