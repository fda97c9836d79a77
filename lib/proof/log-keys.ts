// Which key has signed what of a log (docs/reference/proof.md#another-key). Pure.
import { type Checkpoint, readCheckpoint } from "./formats.ts";
import { openNote, readNote, type VerifierKey, verifierKeyText } from "./note.ts";

/** From the checkpoint of this size on, `to` signs in the place of `from`. */
export type Rotation = { size: number; from: VerifierKey; to: VerifierKey };

/** Which key has signed what of a log. */
export class LogKeys {
  readonly #first: VerifierKey;
  readonly rotations: readonly Rotation[];

  /** `first`: the only one, or that of before the first rotation. */
  constructor(first: VerifierKey, rotations: readonly Rotation[] = []) {
    this.#first = first;
    this.rotations = rotations;
  }

  get name(): string {
    return this.#first.name;
  }

  /** It signs now. */
  get last(): VerifierKey {
    return this.rotations.at(-1)?.to ?? this.#first;
  }

  /** It has signed the checkpoint of so many entries. */
  of(size: number): VerifierKey {
    return this.rotations.findLast((one) => one.size <= size)?.to ?? this.#first;
  }

  /** The checkpoint of a note that the key of its size has signed. */
  openCheckpoint(note: string): { text: string; checkpoint: Checkpoint } | undefined {
    const said = readCheckpoint(readNote(note)?.text ?? "");
    const text = said === undefined ? undefined : openNote(note, this.of(said.size));
    return said === undefined || text === undefined ? undefined : { text, checkpoint: said };
  }
}

export function isSame(one: VerifierKey, other: VerifierKey): boolean {
  return verifierKeyText(one) === verifierKeyText(other);
}
