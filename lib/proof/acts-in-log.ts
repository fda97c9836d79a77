// The acts of people that a log has, and whether they are signed
// (docs/reference/proof.md#signatures-of-people). Pure.
import { isUtf8 } from "node:buffer";
import type { BundleFiles } from "./archive.ts";
import { jsonObject, type SealedRecord } from "./formats.ts";
import { artefactFile, namedArtefact } from "./named-content.ts";
import type { Problems } from "./problems.ts";
import { problemOfAct } from "./signed-act.ts";
import type { AllowedSigner } from "./ssh/allowed-signers.ts";
import { actOf, type PersonalRecord, statedBy } from "./statement.ts";

/** `isRequired`: an act that is not signed is a problem. */
export type Signing = { signers: readonly AllowedSigner[]; isRequired: boolean };

/** How many acts are signed, by whom, and how many are not. */
export type SignedActs = { signed: number; unsigned: number; by: string[] };

type PersonalEvent = { id: string; sha256: string; actor: string; at: number };

/** The members of a record, in the order in which they are written. */
const recordMembers = [
  "salt",
  "id",
  "logical_id",
  "version",
  "structural_type",
  "type",
  "payload",
  "source_artefacts",
  "produced_by_role",
  "produced_by_agent",
  "created_at",
  "goal_id",
  "claim_id",
  "metadata",
];
/** A later time than any. */
const maxTimeDigits = 15;

export class ActsInLog {
  /** The digest of each artefact: the one that was named first. */
  readonly #contents = new Map<string, string>();
  readonly #events: PersonalEvent[] = [];

  /** `body`: the event of the record. */
  note(record: SealedRecord, body: Record<string, unknown> | undefined): void {
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
    for (const { id, sha256, actor, at } of this.#events) {
      const name = artefactFile(id);
      const file = files.get(name);
      if (file === undefined || file.sha256 !== sha256) continue;
      const bytes = await file.whole();
      const record = isUtf8(bytes) ? readPersonalRecord(bytes.toString()) : undefined;
      if (record === undefined) {
        problems.add(
          "statement",
          name,
          "A person has made it, and it is no record of an artefact.",
        );
        continue;
      }
      const act = actOf(record);
      if (act === undefined) continue;
      const [about = ""] = record.source_artefacts;
      const content = this.#contents.get(about) ?? "";
      const stated = statedBy(record, { act, actor, instance, content });
      const problem = problemOfAct(record.metadata, { stated, signers, at });
      if (problem === undefined) {
        signed += 1;
        by.add(stated.principal);
      } else if (problem.code !== "unsigned" || isRequired)
        problems.add(problem.code, name, problem.text);
      else unsigned += 1;
    }
    return { signed, unsigned, by: [...by].sort() };
  }
}

/** The milliseconds in a place of the log. */
function timeOf(place: string): number {
  const [digits = ""] = place.split("-");
  return digits.length > maxTimeDigits ? Number.MAX_SAFE_INTEGER : Number(digits);
}

/** Undefined where it is not written as docs/reference/proof.md#the-record-of-an-artefact says. */
function readPersonalRecord(text: string): PersonalRecord | undefined {
  const body = jsonObject(text) ?? {};
  const isForm = JSON.stringify(body) === text && Object.keys(body).join() === recordMembers.join();
  const isText = (value: unknown) => typeof value === "string" && value.isWellFormed();
  if (!isForm || !Object.values(body).every(isText)) return undefined;
  const { metadata, source_artefacts, ...fields } = body as Record<string, string>;
  return {
    ...(fields as Omit<PersonalRecord, "metadata" | "source_artefacts">),
    metadata: jsonObject(metadata ?? "") ?? {},
    source_artefacts: firstTextIn(source_artefacts ?? ""),
  };
}

/** The others are not signed for. */
function firstTextIn(json: string): string[] {
  const [first] = listIn(json);
  return typeof first === "string" ? [first.toWellFormed()] : [];
}

function listIn(json: string): unknown[] {
  try {
    const list: unknown = JSON.parse(json);
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}
