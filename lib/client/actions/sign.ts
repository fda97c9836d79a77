// What a person does is signed before it is stored, where the person has a way to.
import type { Artefact } from "../../model/artefact.ts";
import type { Actor } from "../../model/event.ts";
import {
  type Act,
  actOf,
  type PersonalRecord,
  type Stated,
  statedBy,
} from "../../proof/statement.ts";
import type { Marks } from "./marks.ts";

/** `content`: the SHA-256 of the record that the act is about, where it has one. */
export type SignOrder = { artefact: Artefact; actor: Actor; instance: string; content: string };

/**
 * Makes what is stored beside the act: the statement and its signature. It throws where the person
 * does not sign.
 */
export type Sign = (order: SignOrder) => Promise<Marks>;

/** The artefact with its signature. */
export async function signed(sign: Sign | undefined, order: SignOrder): Promise<Artefact> {
  const { artefact } = order;
  if (sign === undefined) return artefact;
  return { ...artefact, metadata: { ...artefact.metadata, ...(await sign(order)) } };
}

/** What the statement about an act must say. Undefined for what people do not sign. */
export function statedIn({
  artefact,
  actor,
  instance,
  content,
}: SignOrder): (Stated & { act: Act }) | undefined {
  const record: PersonalRecord = { ...artefact, version: String(artefact.version) };
  const act = actOf(record);
  return act && { ...statedBy(record, { act, actor, instance, content }), act };
}
