// Keeps what decisions need of claims' artefacts: from the log, or as it is stored.
// Artefacts never change, so the two differ only where a person has broken one by hand.

import { RecentMap } from "../../../lib/async/recent-map.ts";
import type { LeaderBlackboard } from "../../../lib/blackboard/port/leading.ts";
import type { Target } from "../../../lib/core/claim-decision.ts";
import { type Verdict, verdictOf } from "../../../lib/core/review-verdict.ts";
import type { SettEvent } from "../../../lib/model/event.ts";
import type { ArtefactId } from "../../../lib/model/ids.ts";

const maxTargets = 10_000;
const maxVerdicts = 1_000;

/** Reviews of 16 MiB each are possible. */
const reviewsAtOnce = 4;

type Board = Pick<LeaderBlackboard, "readHeads" | "readArtefacts">;

export class TargetCache {
  readonly #targets = new RecentMap<ArtefactId, Target>(maxTargets);
  readonly #verdicts = new RecentMap<ArtefactId, Verdict>(maxVerdicts);
  readonly #board: Board;

  constructor(board: Board) {
    this.#board = board;
  }

  /** Remembers what an `artefact_created` event says. */
  apply({ artefact_id: id, data }: SettEvent): void {
    const { type, version, role, agent = "" } = data ?? {};
    if (id === undefined || typeof type !== "string" || typeof version !== "number") return;
    if (typeof role !== "string" || typeof agent !== "string") return;
    this.#targets.set(id, { id, type, version, produced_by_role: role, produced_by_agent: agent });
  }

  /** From the log, if it has been there; otherwise as it is stored. */
  get(id: ArtefactId): Target | Promise<Target | undefined> {
    return this.#targets.get(id) ?? this.read(id);
  }

  /** As it is stored; undefined when it is gone. */
  async read(id: ArtefactId): Promise<Target | undefined> {
    const [found] = await this.#board.readHeads([id]);
    if (found === undefined) return undefined;
    const { type, version, produced_by_role, produced_by_agent } = found.head;
    const target = { id, type, version, produced_by_role, produced_by_agent };
    this.#targets.set(id, target);
    return target;
  }

  /**
   * The verdicts of these reviews, in their order; a review that no longer exists is left out. Each
   * payload is read once: it may be long.
   */
  async readVerdicts(ids: readonly ArtefactId[]): Promise<Verdict[]> {
    const verdicts = new Map<ArtefactId, Verdict>();
    const unknown = ids.filter((id) => this.#verdicts.get(id) === undefined);
    // Those that are known may have been removed or broken since.
    for (const { head } of await this.#board.readHeads(ids.filter((id) => !unknown.includes(id)))) {
      const known = this.#verdicts.get(head.id);
      if (known !== undefined) verdicts.set(head.id, known);
    }
    for (let from = 0; from < unknown.length; from += reviewsAtOnce) {
      for (const review of await this.#board.readArtefacts(
        unknown.slice(from, from + reviewsAtOnce),
      )) {
        const verdict = verdictOf(review);
        this.#verdicts.set(review.id, verdict);
        verdicts.set(review.id, verdict);
      }
    }
    return ids.flatMap((id) => verdicts.get(id) ?? []);
  }
}
