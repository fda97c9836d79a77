// Takes the content of artefacts away, on record. A part of the port.
import type { ArtefactMetadata } from "../../model/artefact.ts";
import type { Actor, EventDraft } from "../../model/event.ts";
import type { ArtefactId, GoalId } from "../../model/ids.ts";

/** `metadata`: in the place of the artefact's own; readers have from it by whom and why. */
export type ArtefactErasure = {
  id: ArtefactId;
  metadata: ArtefactMetadata;
  event: EventDraft;
};

export interface EraseBoard {
  /**
   * Removes payload, metadata and salt of artefacts of a goal, in one step with the events. All
   * their other fields stay. `count`: how many were not erased before; a repeat changes nothing.
   * `open`: work on the goal goes on, or waits. `retired`: the goal is being moved into a file.
   */
  eraseArtefacts(order: {
    goal: GoalId;
    erasures: readonly ArtefactErasure[];
    actor: Actor;
  }): Promise<{ outcome: "erased"; count: number } | { outcome: "open" | "retired" }>;
}
