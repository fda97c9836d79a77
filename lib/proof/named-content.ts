// The files of a bundle that its records name by their digests. Pure.
import { jsonObject, type SealedRecord } from "./formats.ts";

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const sha256 = /^[0-9a-f]{64}$/;

/** File → the digests that its content must have. */
export function namedContent(records: readonly SealedRecord[]): Map<string, string[]> {
  const named = new Map<string, string[]>();
  for (const { type, event } of records) {
    const body = jsonObject(event) ?? {};
    const data = isObject(body.data) ? body.data : {};
    for (const fact of [data.registry, data.policy, data.paths])
      if (isText(fact, sha256)) named.set(factFile(fact), [fact]);
    const { artefact_id: id } = body;
    if (type !== "artefact_created" || !isText(id, uuid) || !isText(data.sha256, sha256)) continue;
    const name = artefactFile(id);
    named.set(name, [...(named.get(name) ?? []), data.sha256]);
  }
  return named;
}

export function artefactFile(id: string): string {
  return `artefacts/${id}.json`;
}

export function factFile(digest: string): string {
  return `facts/${digest}`;
}

export function isNameOfArtefact(name: string): boolean {
  return /^artefacts\/(.*)\.json$/.exec(name)?.[1]?.match(uuid) != null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isText(value: unknown, pattern: RegExp): value is string {
  return typeof value === "string" && pattern.test(value);
}
