// An act is signed where no program of Sett is: one request says what is to be signed, and the
// next one has the signature.
import { Buffer } from "node:buffer";
import { SettError } from "../../model/errors.ts";
import { ArtefactId } from "../../model/ids.ts";
import type { Meaning } from "../../model/meaning.ts";
import { problemOfAct } from "../../proof/signed-act.ts";
import {
  namespace,
  readStatement,
  statementText,
  statementVersion,
  usualMeaning,
} from "../../proof/statement.ts";
import { oneLine } from "../text/plain-text.ts";
import type { Sign, StatedAct } from "./sign.ts";

/** A statement has this many bytes at most, since it is in the metadata of the act. */
const maxStatementBytes = 512 * 1024;

/** The bytes that a person signs. Throws `usage` where the name or the length does not allow it. */
export function statementOf(stated: StatedAct, at: string, meaning: Meaning | undefined): string {
  const statement = statementText({
    sett_statement: statementVersion,
    meaning: meaning ?? usualMeaning[stated.act],
    ...{ ...stated, at },
  });
  const { principal } = stated;
  if (/\s/.test(principal))
    throw new SettError(
      "usage",
      `\`${oneLine(principal)}\` is no name that signs: it has blanks, and no address.`,
      { hint: "Set your address in git: `git config user.email ada@example.org`" },
    );
  if (Buffer.byteLength(statement) > maxStatementBytes)
    throw new SettError("usage", "It is too long to be signed: a statement has at most 512 KiB.");
  return statement;
}

class BeforeSignature extends Error {
  readonly statement: string;

  constructor(statement: string) {
    super("The act has come to its signature.");
    this.statement = statement;
  }
}

/** `namespace`: of the signature, as OpenSSH calls it. */
export type ToSign = { statement: string; namespace: typeof namespace };

/** Does all of the act until it would be signed, and posts nothing. Throws as the act does. */
export async function statementBefore(
  act: (sign: Sign) => Promise<unknown>,
  meaning: Meaning | undefined,
): Promise<ToSign> {
  try {
    await act(async (stated, at) => {
      throw new BeforeSignature(statementOf(stated, at, meaning));
    });
  } catch (error) {
    if (error instanceof BeforeSignature) return { statement: error.statement, namespace };
    throw error;
  }
  throw new TypeError("The act was posted, and nothing of it is signed.");
}

export type SignedStatement = { statement: string; signature: string };

/**
 * `id`: what is posted has to have it, since the statement says so. `sign` throws `request-refused`
 * where the signature is not one of these bytes, or the act is another one than they say. Throws
 * `usage`.
 */
export function signedElsewhere(marks: SignedStatement): { sign: Sign; id: ArtefactId } {
  const id = ArtefactId.safeParse(readStatement(marks.statement)?.id);
  if (!id.success)
    throw new SettError("usage", "The member `statement` is not one that Sett has made.", {
      hint: "Send its bytes as `…/statement` has answered them.",
    });
  const sign: Sign = async (stated) => {
    // Whose keys count is up to the rules of the instance.
    const problem = problemOfAct(marks, { stated, signers: [], at: Date.now() });
    if (problem === undefined || problem.code === "signer") return marks;
    throw new SettError("request-refused", `The signature does not count. ${problem.text}`, {
      hint: "Ask for the statement once more, and sign that.",
    });
  };
  return { sign, id: id.data };
}
