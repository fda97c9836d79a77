// The files of a bundle that its records name by their digests. Pure.
import { jsonObject, type SealedRecord } from "./formats.ts";

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const sha256 = /^[0-9a-f]{64}$/;

/** A file, and the digest that its content must have. */
export type Named = { name: string; sha256: string };

/** `body`: the event of the record. */
export function namedContent(
  { type, event }: Pick<SealedRecord, "type" | "event">,
  body = jsonObject(event),
): Named[] {
  const data = isObject(body?.data) ? body.data : {};
  const named = [data.registry, data.policy, data.paths]
    .filter((fact) => isText(fact, sha256))
    .map((fact): Named => ({ name: factFile(fact), sha256: fact }));
  const made = namedArtefact({ type }, body);
  if (made !== undefined) named.push({ name: artefactFile(made.id), sha256: made.sha256 });
  return named;
}

/** The artefact of which the event says that it was made. */
export function namedArtefact(
  { type }: Pick<SealedRecord, "type">,
  body: Record<string, unknown> | undefined,
): { id: string; sha256: string } | undefined {
  const data = isObject(body?.data) ? body.data : {};
  const id = body?.artefact_id;
  const isNamed = type === "artefact_created" && isText(id, uuid) && isText(data.sha256, sha256);
  return isNamed ? { id, sha256: data.sha256 as string } : undefined;
}

export function artefactFile(id: string): string {
  return `artefacts/${id}.json`;
}

export function factFile(digest: string): string {
  return `facts/${digest}`;
}

/** The id of the artefact; undefined for another file. */
export function idOfArtefact(file: string): string | undefined {
  const [, id = ""] = /^artefacts\/(.*)\.json$/.exec(file) ?? [];
  return uuid.test(id) ? id : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isText(value: unknown, pattern: RegExp): value is string {
  return typeof value === "string" && pattern.test(value);
}
