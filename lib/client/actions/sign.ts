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
 * Makes what is stored beside the act: the statement and its signature. `at`: its time. It throws
 * where the person does not sign.
 */
export type Sign = (stated: StatedAct, at: string) => Promise<Marks>;

type Signed = {
  board: Pick<PersonBlackboard, "instance" | "listAgents">;
  sign: Sign | undefined;
  suggest: Suggest;
};

/**
 * The artefact with its signature, as the rules of the instance want it. Throws as
 * `signatureOf`.
 */
export async function signed(how: Signed, about: Omit<SignOrder, "instance">): Promise<Artefact> {
  const { artefact, actor } = about;
  const stated = statedIn({ ...about, instance: how.board.instance });
  if (stated === undefined) return artefact;
  const marks = await signatureOf(how, stated, { actor, at: artefact.created_at });
  return { ...artefact, metadata: { ...artefact.metadata, ...marks } };
}

/**
 * The statement of an act and its signature; nothing where it is not signed. Throws
 * `request-refused` where the rules of the instance do not take it: without a signature, where each
 * person has to sign, or with one of another key than those of the person.
 */
export async function signatureOf(
  { board, sign, suggest }: Signed,
  stated: StatedAct,
  { actor, at }: { actor: Actor; at: string },
): Promise<Marks> {
  const rule = signingOf(await board.listAgents());
  if (rule?.required === true && sign === undefined) requireNoSignature(stated, actor, suggest);
  if (sign === undefined) return {};
  const marks = await sign(stated, at);
  if (rule !== undefined) requireValid(marks, { stated, actor }, rule);
  return marks;
}

/** Each registration of sett.yml has the same one. */
export function signingOf(agents: readonly RegisteredAgent[]): Signing | undefined {
  return agents.find(({ signing }) => signing !== undefined)?.signing;
}

/** A goal of a trigger, which sett.yml has set off itself, is no act of a person. */
function requireNoSignature(stated: StatedAct, actor: Actor, suggest: Suggest): void {
  if (stated.act === "forage" && !actor.startsWith("person:")) return;
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
  erase: "An erasure",
};

function commandOf({ act, artefact, goal, for: speaker }: StatedAct): string {
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
    case "erase":
      return `erase ${artefact === "" ? shortId(goal) : id} --reason "…" --sign`;
    default:
      return unreachable(act);
  }
}

function requireValid(
  marks: Marks,
  { stated, actor }: { stated: StatedAct; actor: Actor },
  { signers: text, people }: Signing,
): void {
  const { signers } = readSigners(text);
  const problem = people.some((person) => isPerson(actor, person))
    ? problemOfAct(marks, { stated, signers, at: Date.now() })?.text
    : `\`people\` in sett.yml has no ${oneLine(stated.principal)}.`;
  if (problem === undefined) return;
  throw new SettError("request-refused", `The signature does not count. ${problem}`, {
    hint: `The file of \`people.signers\` in sett.yml, as \`sett up\` has read it, says whose keys sign for ${oneLine(stated.principal)}.`,
  });
}

export type StatedAct = Stated & { act: Act };

/** The statement about an act must say this. Undefined for what people do not sign. */
export function statedIn({ artefact, actor, instance, content }: SignOrder): StatedAct | undefined {
  const record: PersonalRecord = { ...artefact, version: String(artefact.version) };
  const act = actOf(record);
  return act && { ...statedBy(record, { act, actor, instance, content }), act };
}
