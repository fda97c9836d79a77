// The acts of people that a log has, and whether they are signed
// (docs/reference/proof.md#signatures-of-people). Pure.
import type { BundleFiles } from "./archive.ts";
import { readPersonalRecord } from "./artefact-record.ts";
import { type ErasureEvent, readErasure } from "./erasures-in-log.ts";
import { goalOf, noGoal, type SealedRecord } from "./formats.ts";
import { artefactFile, namedArtefact } from "./named-content.ts";
import type { Problems } from "./problems.ts";
import { type ActProblem, problemOfAct, type SignatureMarks } from "./signed-act.ts";
import type { AllowedSigner } from "./ssh/allowed-signers.ts";
import { actOf, erasureStatedBy, readStatement, type Stated, statedBy } from "./statement.ts";

/** `isRequired`: an act that is not signed is a problem. */
export type Signing = { signers: readonly AllowedSigner[]; isRequired: boolean };

/** How many acts are signed, by whom, and how many are not. */
export type SignedActs = { signed: number; unsigned: number; by: string[] };

type PersonalEvent = { id: string; sha256: string; actor: string; at: number };
/** `line`: of its record. `marks`: its statement and signature. */
type Erasure = ErasureEvent & { line: number; goal: string; marks: SignatureMarks; at: number };

/** A later time than any. */
const maxTimeDigits = 15;

export class ActsInLog {
  /** The digest of each artefact: the one that was named first. */
  readonly #contents = new Map<string, string>();
  readonly #events: PersonalEvent[] = [];
  readonly #erasures: Erasure[] = [];

  /** `line`: of the record. `body`: its event. */
  note(record: SealedRecord, line: number, body: Record<string, unknown> | undefined): void {
    const erasure = readErasure(record, body);
    if (erasure?.actor.startsWith("person:")) {
      const { statement, signature } = jsonMembers(body?.data);
      const goal = goalOf(record.event, body);
      const about = { line, goal: goal === noGoal ? "" : goal, at: timeOf(record.place) };
      this.#erasures.push({ ...erasure, ...about, marks: { statement, signature } });
    }
    const named = namedArtefact(record, body);
    if (named === undefined) return;
    const { id, sha256 } = named;
    if (!this.#contents.has(id)) this.#contents.set(id, sha256);
    const actor = body?.actor;
    if (typeof actor !== "string" || !actor.startsWith("person:")) return;
    this.#events.push({ id, sha256, actor: actor.toWellFormed(), at: timeOf(record.place) });
  }

  /** Content that is missing, or is another one, has a problem of its own. */
  async check(
    { files, problems, keyName }: { files: BundleFiles; problems: Problems; keyName: string },
    { signers, isRequired }: Signing,
  ): Promise<SignedActs> {
    const instance = keyName.replace(/\.sett\.invalid\/[0-9a-f]{8}$/, "");
    const by = new Set<string>();
    let [signed, unsigned] = [0, 0];
    const note = ({ marks, ...order }: Checked, report: (problem: ActProblem) => void) => {
      const problem = problemOfAct(marks, { ...order, signers });
      if (problem === undefined) {
        signed += 1;
        by.add(order.stated.principal);
      } else if (problem.code !== "unsigned" || isRequired) report(problem);
      else unsigned += 1;
    };
    for (const { id, sha256, actor, at } of this.#events) {
      const name = artefactFile(id);
      const file = files.get(name);
      if (file === undefined || file.sha256 !== sha256) continue;
      const record = readPersonalRecord(await file.whole());
      if (record === undefined) {
        problems.add("statement", name, notARecord);
        continue;
      }
      const act = actOf(record);
      if (act === undefined) continue;
      const [about = ""] = record.source_artefacts;
      const content = this.#contents.get(about) ?? "";
      const stated = statedBy(record, { act, actor, instance, content });
      const { metadata: marks } = record;
      note({ marks, stated, at }, ({ code, text }) => problems.add(code, name, text));
    }
    for (const { line, marks, at, ...erasure } of this.#erasures) {
      const isOfGoal = saysNoArtefact(marks);
      const content = isOfGoal ? { artefact: "", sha256: "" } : {};
      const stated = erasureStatedBy({ ...erasure, ...content, instance });
      note({ marks, stated, at }, ({ code, text }) =>
        problems.addOfLine(code, "records.jsonl", line, text),
      );
    }
    return { signed, unsigned, by: [...by].sort() };
  }
}

const notARecord = "A person has made it, and it is no record of an artefact.";

type Checked = { marks: SignatureMarks; stated: Stated; at: number };

/** A person who has all of a goal erased signs once, for each of its artefacts. */
function saysNoArtefact({ statement }: SignatureMarks): boolean {
  return typeof statement === "string" && readStatement(statement.toWellFormed())?.artefact === "";
}

function jsonMembers(value: unknown): Record<string, unknown> {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? (value as Record<string, unknown>) : {};
}

/** The milliseconds in a place of the log. */
function timeOf(place: string): number {
  const [digits = ""] = place.split("-");
  return digits.length > maxTimeDigits ? Number.MAX_SAFE_INTEGER : Number(digits);
}
