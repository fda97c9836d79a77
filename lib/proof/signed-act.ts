// Whether a person has signed what is on record as that person's act
// (docs/reference/proof.md#signatures-of-people). Pure.
import { Buffer } from "node:buffer";
import { meanings } from "../model/meaning.ts";
import type { AllowedSigner } from "./ssh/allowed-signers.ts";
import { isSignatureOf, readSshSignature } from "./ssh/signature.ts";
import {
  namespace,
  readStatement,
  type Stated,
  type Statement,
  statementVersion,
} from "./statement.ts";

export const actCodes = [
  "unsigned",
  "statement",
  "namespace",
  "sshsig",
  "signer",
  "validity",
] as const;
export type ActProblem = { code: (typeof actCodes)[number]; text: string };

/** The metadata of an artefact has these. */
export type SignatureMarks = { statement?: unknown; signature?: unknown };

/** `at`: when the record was written, in milliseconds since 1970; by the clock of Redis. */
export type ActOrder = {
  stated: Stated;
  signers: readonly AllowedSigner[];
  at: number;
};

/** A person takes so long at most to sign, and a clock is so wrong at most. */
const signingMs = 24 * 60 * 60 * 1000;
const clockDriftMs = 5 * 60 * 1000;

/** The first problem; undefined where the person has signed exactly this. */
export function problemOfAct(marks: SignatureMarks, order: ActOrder): ActProblem | undefined {
  const { statement: said, signature: armoured } = marks;
  if (said === undefined && armoured === undefined)
    return { code: "unsigned", text: "Nothing is signed." };
  if (typeof said !== "string" || typeof armoured !== "string")
    return { code: "statement", text: "It has a statement or a signature, and not both as texts." };
  const text = said.toWellFormed();
  const statement = readStatement(text);
  if (statement === undefined)
    return { code: "statement", text: "Its statement has not the form of one." };
  const wrong = otherThanRecord(statement, order);
  if (wrong !== undefined) return { code: "statement", text: wrong };
  const signature = readSshSignature(armoured);
  if (signature === undefined)
    return { code: "sshsig", text: "Its signature has not the form of SSHSIG." };
  if (signature.namespace !== namespace)
    return { code: "namespace", text: "Its signature is of another namespace." };
  if (!isSignatureOf(signature, Buffer.from(text)))
    return { code: "sshsig", text: "Its signature is not one of these bytes." };
  return problemOfSigner(statement.principal, signature.key, order);
}

function otherThanRecord(statement: Statement, { stated, at }: ActOrder): string | undefined {
  if (statement.sett_statement !== statementVersion) return "Its statement is of another version.";
  if (!(meanings as readonly string[]).includes(statement.meaning))
    return "Its statement has a meaning that Sett does not know.";
  const other = Object.entries(stated)
    .filter(([member, value]) => statement[member as keyof Stated] !== value)
    .map(([member]) => member);
  if (other.length > 0) return `Its statement and the record differ in: ${other.join(", ")}.`;
  const said = new Date(statement.at);
  const isTime = !Number.isNaN(said.getTime()) && said.toISOString() === statement.at;
  if (!isTime) return "Its statement has no time.";
  const ago = at - said.getTime();
  if (ago > signingMs || ago < -clockDriftMs)
    return "Its statement and the log differ in the time: by more than a day, or 5 minutes.";
  return undefined;
}

function problemOfSigner(
  principal: string,
  key: Uint8Array,
  { signers, at }: ActOrder,
): ActProblem | undefined {
  const own = signers.filter(
    (signer) =>
      signer.principals.includes(principal) &&
      signer.key.equals(key) &&
      signer.namespaces?.includes(namespace) !== false,
  );
  if (own.length === 0)
    return { code: "signer", text: "No line of the signers has this key for this name." };
  const second = Math.floor(at / 1000);
  const isValid = own.some(
    ({ after = second, before = second }) => after <= second && second <= before,
  );
  if (isValid) return undefined;
  return { code: "validity", text: "The key was not valid for this name at that time." };
}
