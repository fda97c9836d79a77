// Artefacts as lists of the API show them: without their payloads.
import { RecentMap } from "../../../lib/async/recent-map.ts";
import type { StoredHead } from "../../../lib/blackboard/port/artefacts.ts";
import type { PersonBlackboard } from "../../../lib/blackboard/port/holders.ts";
import { type Checked, readChecked } from "../../../lib/client/facts/checked.ts";
import { costJson } from "../../../lib/client/render/cost-text.ts";
import type { Cost } from "../../../lib/core/call-costs.ts";
import { isApproval } from "../../../lib/model/approval.ts";
import type { ArtefactHead } from "../../../lib/model/artefact.ts";
import type { ArtefactId } from "../../../lib/model/ids.ts";

type Verdict = "approval" | "feedback";
export type ArtefactView = Checked<ArtefactHead> & {
  payload_bytes: number;
  verdict?: Verdict;
  cost?: ReturnType<typeof costJson>;
};

/** An approval is `{}` or `[]`. */
const maxApprovalBytes = 1_024;
const minEntries = 10_000;

type Board = Pick<PersonBlackboard, "readHeads" | "readArtefacts" | "findOverwritten">;

export class ArtefactViews {
  readonly #board: Board;
  readonly #verdicts = new RecentMap<ArtefactId, Verdict>(minEntries);

  constructor(board: Board) {
    this.#board = board;
  }

  /** Returns them in the order of `ids`, without those that do not exist. */
  async read(
    ids: readonly ArtefactId[],
    costs?: ReadonlyMap<ArtefactId, Cost>,
  ): Promise<ArtefactView[]> {
    const { heads } = await readChecked(this.#board, ids);
    const stored = new Map(
      (await this.#board.readHeads(heads.map(({ id }) => id))).map((one) => [one.head.id, one]),
    );
    const verdicts = await this.#verdictsOf([...stored.values()]);
    return heads.map((head) => {
      const verdict = verdicts.get(head.id);
      const cost = costs?.get(head.id);
      return {
        ...head,
        payload_bytes: stored.get(head.id)?.payloadBytes ?? 0,
        ...(verdict && { verdict }),
        ...(cost && { cost: costJson(cost) }),
      };
    });
  }

  /** Reviews alone have it. Only a short payload can be an approval. */
  async #verdictsOf(stored: readonly StoredHead[]): Promise<Map<ArtefactId, Verdict>> {
    const reviews = stored.filter(({ head }) => head.structural_type === "Review");
    const unknown = reviews.filter(({ head }) => this.#verdicts.get(head.id) === undefined);
    const short = unknown
      .filter(({ payloadBytes }) => payloadBytes <= maxApprovalBytes)
      .map(({ head }) => head.id);
    const read = new Map(
      (await this.#board.readArtefacts(short)).map(({ id, payload }) => [id, isApproval(payload)]),
    );
    for (const { head } of unknown)
      this.#verdicts.set(head.id, read.get(head.id) === true ? "approval" : "feedback");
    return new Map(
      reviews.flatMap(({ head: { id } }) => {
        const verdict = this.#verdicts.get(id);
        return verdict === undefined ? [] : [[id, verdict] as const];
      }),
    );
  }
}
