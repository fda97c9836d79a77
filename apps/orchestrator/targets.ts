// What decisions look at in the artefacts that claims are about: as the log has told it, or as it stands. Artefacts never change, so the
// two differ only where somebody has broken one by hand.
import type { Blackboard } from "../../lib/blackboard/port.ts";
import type { Target } from "../../lib/core/claim-decision.ts";
import type { SettEvent } from "../../lib/model/event.ts";
import type { ArtefactId } from "../../lib/model/ids.ts";
import { RecentMap } from "../../lib/service/recent-map.ts";

const mostTargets = 10_000;

export class Targets {
  readonly #targets = new RecentMap<ArtefactId, Target>(mostTargets);
  readonly #board: Blackboard;

  constructor(board: Blackboard) {
    this.#board = board;
  }

  /** Takes in what an `artefact_created` event tells. */
  learn({ artefact_id: id, data }: SettEvent): void {
    const { type, version, role, agent = "" } = data ?? {};
    if (id === undefined || typeof type !== "string" || typeof version !== "number") return;
    if (typeof role !== "string" || typeof agent !== "string") return;
    this.#targets.set(id, { id, type, version, produced_by_role: role, produced_by_agent: agent });
  }

  /** As the log has told it, where it has. */
  get(id: ArtefactId): Target | Promise<Target | undefined> {
    return this.#targets.get(id) ?? this.read(id);
  }

  /** As it stands; undefined when it is gone. */
  async read(id: ArtefactId): Promise<Target | undefined> {
    const artefact = await this.#board.readArtefact(id);
    if (artefact === undefined) return undefined;
    const { type, version, produced_by_role, produced_by_agent } = artefact;
    const target = { id, type, version, produced_by_role, produced_by_agent };
    this.#targets.set(id, target);
    return target;
  }
}
