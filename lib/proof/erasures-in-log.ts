// Which artefacts people have erased on record (docs/reference/proof.md#erased-content). Pure.
import { isObject } from "../model/json.ts";
import { type SealedRecord, textOf } from "./formats.ts";
import { artefactFile } from "./named-content.ts";
import type { Problems } from "./problems.ts";

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const digest = /^[0-9a-f]{64}$/;

type Body = Record<string, unknown> | undefined;
/** What an event of an erasure says. `sha256`: empty where the artefact's event names none. */
export type ErasureEvent = {
  artefact: string;
  sha256: string;
  reason: string;
  actor: string;
};

export class ErasuresInLog {
  /** The digest that the last event of its creation names; empty where it names none. */
  readonly #made = new Map<string, string>();
  /** File → the digests that it had, when it was erased. */
  readonly #erased = new Map<string, Set<string>>();

  /** `line`: of the record. `body`: its event. */
  note({ type }: Pick<SealedRecord, "type">, line: number, body: Body, problems: Problems): void {
    const { artefact, sha256 } = contentOf(body);
    if (type === "artefact_created" && artefact !== "") this.#made.set(artefact, sha256);
    const erasure = readErasure({ type }, body);
    if (erasure === undefined) return;
    const isOne = erasure.actor.startsWith("person:") && erasure.reason !== "";
    if (!isOne || this.#made.get(artefact) !== sha256)
      return problems.addOfLine(
        "erased",
        "records.jsonl",
        line,
        "It is no person's erasure, with a reason, of what an event before it names.",
      );
    if (sha256 === "") return;
    const file = artefactFile(artefact);
    this.#erased.set(file, (this.#erased.get(file) ?? new Set()).add(sha256));
  }

  /** Whether the content of this digest was erased, at any place of the log. */
  has({ name, sha256 }: { name: string; sha256: string }): boolean {
    return this.#erased.get(name)?.has(sha256) === true;
  }

  get files(): Iterable<string> {
    return this.#erased.keys();
  }

  get count(): number {
    return this.#erased.size;
  }
}

/** Undefined for an event of another type. */
export function readErasure(
  { type }: Pick<SealedRecord, "type">,
  body: Body,
): ErasureEvent | undefined {
  if (type !== "artefact_erased") return undefined;
  const { reason } = dataOf(body);
  return { ...contentOf(body), reason: textOf(reason), actor: textOf(body?.actor) };
}

function contentOf(body: Body): { artefact: string; sha256: string } {
  const [artefact, sha256] = [textOf(body?.artefact_id), textOf(dataOf(body).sha256)];
  return {
    artefact: uuid.test(artefact) ? artefact : "",
    sha256: digest.test(sha256) ? sha256 : "",
  };
}

function dataOf(body: Body): Record<string, unknown> {
  const data = body?.data;
  return isObject(data) ? data : {};
}
