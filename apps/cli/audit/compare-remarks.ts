// Compares with the log what people have said to running work: it is among the inputs of each claim
// that hears it, where who knows a password of Redis can take it away, or add other inputs.
import { readReadable } from "../../../lib/client/facts/checked.ts";
import type { ReadingBoard } from "../../../lib/client/facts/reading-board.ts";
import type { SettEvent } from "../../../lib/model/event.ts";
import type { ArtefactId, ClaimId, GoalId } from "../../../lib/model/ids.ts";
import { isRemark } from "../../../lib/model/remark-type.ts";
import type { Contradiction } from "./compare-record.ts";

type Board = Pick<ReadingBoard, "readHeads" | "readClaims">;

/** `opened`, `ended`: by the number of the event. */
type ClaimByLog = {
  goal: GoalId;
  opened: number;
  ended: number;
  /** A standard claim about what is no list of pieces hears remarks alone. */
  isPlain: boolean;
};

type Remark = { goal: GoalId; at: number };

const claimsAtOnce = 100;

/** Gathers, page by page, what people have said, and the claims that were open then. */
export class RemarksByLog {
  readonly #claims = new Map<ClaimId, ClaimByLog>();
  readonly #remarks = new Map<ArtefactId, Remark>();
  readonly #goals = new Map<ArtefactId, GoalId>();
  readonly #lists = new Set<ArtefactId>();
  #events = 0;

  add({ type, goal_id: goal, claim_id: claim, artefact_id: id, data = {} }: SettEvent): void {
    const at = this.#events++;
    if (goal === undefined || id === undefined) return;
    if (type === "artefact_created") {
      this.#goals.set(id, goal);
      if (data.pieces !== undefined) this.#lists.add(id);
      const kind = { type: String(data.type), structural_type: String(data.structural_type) };
      if (isRemark(kind)) this.#remarks.set(id, { goal, at });
    }
    if (claim === undefined) return;
    if (type === "claim_opened") {
      const isPlain = data.cause === "standard" && !this.#lists.has(id);
      this.#claims.set(claim, { goal, opened: at, ended: Number.POSITIVE_INFINITY, isPlain });
    }
    const before = this.#claims.get(claim);
    if (before !== undefined && (type === "claim_completed" || type === "claim_terminated"))
      this.#claims.set(claim, { ...before, ended: at });
  }

  /** A remark to one claim says so in its artefact, whose digest is compared. */
  async contradictions(board: Board): Promise<Contradiction[]> {
    const remarks = await readReadable(board, [...this.#remarks.keys()]);
    const claimOf = new Map(remarks.map(({ id, metadata }) => [id, metadata.remark_on]));
    const ofGoal = Map.groupBy(this.#remarks, ([, { goal }]) => goal);
    const found: Contradiction[] = [];
    const claims = [...this.#claims];
    for (let from = 0; from < claims.length; from += claimsAtOnce) {
      const part = new Map(claims.slice(from, from + claimsAtOnce));
      const stored = await board.readClaims([...part.keys()], () => undefined);
      for (const { claim } of stored) {
        const byLog = part.get(claim.id);
        if (byLog === undefined) continue;
        const inputs = (ofGoal.get(byLog.goal) ?? []).flatMap(([id, { at }]) => {
          const isFor = claimOf.get(id) === undefined || claimOf.get(id) === claim.id;
          return isFor && at < byLog.ended ? [id] : [];
        });
        const { additional_context_ids: context } = claim;
        const missing = inputs.filter((id) => !context.includes(id));
        const more = context.filter((id) => !inputs.includes(id) && !this.#mayHear(id, byLog));
        if (missing.length + more.length === 0) continue;
        const log = `hears ${inputs.toSorted().join(" ")}`.trimEnd();
        const record = `hears ${context.toSorted().join(" ")}`.trimEnd();
        found.push({ what: claim.id, log, record });
      }
    }
    return found;
  }

  /** Reviews, results of pieces and what an earlier claim hears, too. */
  #mayHear(id: ArtefactId, { isPlain, goal }: ClaimByLog): boolean {
    return !isPlain && this.#goals.get(id) === goal;
  }
}
