// Heads of the artefacts that claims are about. Artefacts never change, so what was read once stays true.
import type { Blackboard } from "../../lib/blackboard/port.ts";
import type { ArtefactHead } from "../../lib/model/artefact.ts";
import type { ArtefactId } from "../../lib/model/ids.ts";

const mostHeads = 10_000;

export class Targets {
  readonly #heads = new Map<ArtefactId, ArtefactHead>();
  readonly #board: Blackboard;

  constructor(board: Blackboard) {
    this.#board = board;
  }

  async read(id: ArtefactId): Promise<ArtefactHead | undefined> {
    const known = this.#heads.get(id);
    if (known !== undefined) return known;
    const artefact = await this.#board.readArtefact(id);
    if (artefact === undefined) return undefined;
    const { payload: _payload, ...head } = artefact;
    const [oldest] = this.#heads.keys();
    if (this.#heads.size >= mostHeads && oldest !== undefined) this.#heads.delete(oldest);
    this.#heads.set(id, head);
    return head;
  }
}
