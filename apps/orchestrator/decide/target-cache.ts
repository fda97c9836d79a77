// Keeps what decisions need of claims' artefacts: from the log, or as it is stored.
// Artefacts never change, so the two differ only where a person has broken one by hand.

import { RecentMap } from "../../../lib/async/recent-map.ts";
import type { LeaderBlackboard } from "../../../lib/blackboard/port/leading.ts";
import type { Target } from "../../../lib/core/claim-decision.ts";
import { needsPaths } from "../../../lib/core/decide-bid.ts";
import { needsInvolved } from "../../../lib/core/involved.ts";
import { type Verdict, verdictOf } from "../../../lib/core/review-verdict.ts";
import type { RegisteredAgent } from "../../../lib/model/agent.ts";
import { type ArtefactHead, codeCommitType, goalType } from "../../../lib/model/artefact.ts";
import { type ChangedPaths, changedPathsIn } from "../../../lib/model/changed-paths.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { SettEvent } from "../../../lib/model/event.ts";
import type { ArtefactId } from "../../../lib/model/ids.ts";
import type { Involved } from "../../../lib/model/quorum.ts";
import { type InvolvedBoard, readInvolved } from "./read-involved.ts";

const maxTargets = 10_000;
const maxVerdicts = 1_000;
const maxPaths = 1_000;
/** Work without a commit continues that of its sources; so many steps back one is looked for. */
const maxSteps = 20;
const maxSources = 1_000;

/** Reviews of 16 MiB each are possible. */
const reviewsAtOnce = 4;

type Board = Pick<LeaderBlackboard, "readArtefacts"> & InvolvedBoard;

export class TargetCache {
  readonly #targets = new RecentMap<ArtefactId, Target>(maxTargets);
  readonly #paths = new RecentMap<ArtefactId, ChangedPaths>(maxPaths);
  readonly #involved = new RecentMap<ArtefactId, Involved>(maxPaths);
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

  /** The same with what the rules of these agents need beside it. */
  async withMore(target: Target, agents: readonly RegisteredAgent[]): Promise<Target> {
    const whole = needsPaths(target, agents) ? await this.#withPaths(target) : target;
    if (!needsInvolved(agents)) return whole;
    const known = this.#involved.get(target.id);
    const involved = known ?? (await readInvolved(this.#board, target.id));
    if (known === undefined) this.#involved.set(target.id, involved);
    return { ...whole, involved };
  }

  /** The artefact has the files that its change touches: a bid depends on them. */
  async #withPaths(target: Target): Promise<Target> {
    const known = this.#paths.get(target.id);
    const paths = known ?? (await this.#readPaths(target.id));
    if (paths === undefined) return target;
    if (known === undefined) this.#paths.set(target.id, paths);
    return { ...target, paths };
  }

  /**
   * As the record has them: of the artefact's own commit, or else of those that it was made from.
   * Undefined where one of them is not known.
   */
  async #readPaths(id: ArtefactId): Promise<ChangedPaths | undefined> {
    const seen = new Set<ArtefactId>([id]);
    const paths = new Set<string>();
    for (let [next, step] = [[id], 0]; next.length > 0; step += 1) {
      if (step === maxSteps || seen.size > maxSources) return undefined;
      const heads = (await this.#readHeads(next)) ?? [];
      if (heads.length < next.length) return undefined;
      const changes = heads.map(({ head }) => changeOf(head));
      if (changes.includes("unknown")) return undefined;
      for (const change of changes)
        if (typeof change === "object") for (const path of change) paths.add(path);
      const sources = heads.flatMap(({ head }, at) =>
        changes[at] === "none" ? head.source_artefacts : [],
      );
      next = [...new Set(sources)].filter((one) => !seen.has(one));
      for (const one of next) seen.add(one);
    }
    return [...paths].toSorted();
  }

  /** Undefined where one of them is malformed. */
  async #readHeads(ids: readonly ArtefactId[]) {
    try {
      return await this.#board.readHeads(ids);
    } catch (error) {
      if (error instanceof SettError && error.code === "artefact-malformed") return undefined;
      throw error;
    }
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

/** `none`: it has no commit of its own. A goal has one, and changes nothing. */
function changeOf(head: ArtefactHead): ChangedPaths | "unknown" | "none" {
  if (head.type === goalType) return [];
  const paths = changedPathsIn(head);
  if (paths !== undefined) return paths;
  return head.metadata.commit !== undefined || head.type === codeCommitType ? "unknown" : "none";
}
