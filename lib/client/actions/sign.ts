// A person's act is signed before it is stored, where the person has a way to.
import type { PersonBlackboard } from "../../blackboard/port/holders.ts";
import { isPerson } from "../../core/is-person.ts";
import type { RegisteredAgent } from "../../model/agent.ts";
import type { Artefact } from "../../model/artefact.ts";
import { SettError } from "../../model/errors.ts";
import type { Actor } from "../../model/event.ts";
import type { Signing } from "../../model/people.ts";
import { unreachable } from "../../model/unreachable.ts";
import { problemOfAct } from "../../proof/signed-act.ts";
import { readSigners } from "../../proof/ssh/allowed-signers.ts";
import {
  type Act,
  actOf,
  type PersonalRecord,
  type Stated,
  statedBy,
} from "../../proof/statement.ts";
import { shortId } from "../../words/short-id.ts";
import { oneLine } from "../text/plain-text.ts";
import type { Suggest } from "../text/suggest.ts";
import type { Marks } from "./marks.ts";

/** `content`: the SHA-256 of the record that the act is about, where it has one. */
export type SignOrder = { artefact: Artefact; actor: Actor; instance: string; content: string };

/**
 * Makes what is stored beside the act: the statement and its signature. It throws where the person
 * does not sign.
 */
export type Sign = (order: SignOrder) => Promise<Marks>;

type Signed = {
  board: Pick<PersonBlackboard, "instance" | "listAgents">;
  sign: Sign | undefined;
  suggest: Suggest;
};

/**
 * The artefact with its signature, as the rules of the instance want it. Throws `request-refused`
 * where they do not take it: without a signature, where each person has to sign, or with one of
 * another key than those of the person.
 */
export async function signed(
  { board, sign, suggest }: Signed,
  about: Omit<SignOrder, "instance">,
): Promise<Artefact> {
  const order = { ...about, instance: board.instance };
  const rule = signingOf(await board.listAgents());
  if (rule?.required === true && sign === undefined) requireNoSignature(order, suggest);
  if (sign === undefined) return order.artefact;
  const marks = await sign(order);
  if (rule !== undefined) requireValid(marks, order, rule);
  return { ...order.artefact, metadata: { ...order.artefact.metadata, ...marks } };
}

/** Each registration of sett.yml has the same one. */
export function signingOf(agents: readonly RegisteredAgent[]): Signing | undefined {
  return agents.find(({ signing }) => signing !== undefined)?.signing;
}

/** A goal of a trigger, which sett.yml has set off itself, is no act of a person. */
function requireNoSignature(order: SignOrder, suggest: Suggest): void {
  const stated = statedIn(order);
  const isOfPerson = order.actor.startsWith("person:");
  if (stated === undefined || (stated.act === "forage" && !isOfPerson)) return;
  throw new SettError(
    "request-refused",
    `${needsSignature[stated.act]} needs the signature of a person: \`people\` in sett.yml has \`signed: required\`.`,
    { hint: `On the command line: ${suggest(commandOf(stated))}` },
  );
}

const needsSignature: Readonly<Record<Act, string>> = {
  approve: "An approval",
  reject: "A rejection",
  answer: "An answer",
  forage: "A goal",
};

function commandOf({ act, artefact, for: speaker }: StatedAct): string {
  const id = shortId(artefact);
  switch (act) {
    case "approve":
      return `approve ${id} --for ${speaker} --sign`;
    case "reject":
      return `reject ${id} --for ${speaker} --reason "…" --sign`;
    case "answer":
      return `answer ${id} "…" --sign`;
    case "forage":
      return 'forage --goal "…" --sign';
    default:
      return unreachable(act);
  }
}

function requireValid(marks: Marks, order: SignOrder, { signers: text, people }: Signing): void {
  const stated = statedIn(order);
  if (stated === undefined) return;
  const { signers } = readSigners(text);
  const problem = people.some((person) => isPerson(order.actor, person))
    ? problemOfAct(marks, { stated, signers, at: Date.now() })?.text
    : `\`people\` in sett.yml has no ${oneLine(stated.principal)}.`;
  if (problem === undefined) return;
  throw new SettError("request-refused", `The signature does not count. ${problem}`, {
    hint: `The file of \`people.signers\` in sett.yml, as \`sett up\` has read it, says whose keys sign for ${oneLine(stated.principal)}.`,
  });
}

type StatedAct = Stated & { act: Act };

/** The statement about an act must say this. Undefined for what people do not sign. */
export function statedIn({ artefact, actor, instance, content }: SignOrder): StatedAct | undefined {
  const record: PersonalRecord = { ...artefact, version: String(artefact.version) };
  const act = actOf(record);
  return act && { ...statedBy(record, { act, actor, instance, content }), act };
}
