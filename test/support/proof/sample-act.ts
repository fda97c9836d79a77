// A person's approval as it is on record, with its signature.

import type { ActOrder } from "../../../lib/proof/signed-act.ts";
import { readSigners } from "../../../lib/proof/ssh/allowed-signers.ts";
import {
  actOf,
  type PersonalRecord,
  type Statement,
  statedBy,
  statementText,
} from "../../../lib/proof/statement.ts";
import { sshSigner } from "./ssh-signer.ts";

export const sampleActor = "person:Ada Lovelace <ada@example.org>";
const content = "ab".repeat(32);

/** An approval of the artefact `33333333-…`. */
export const sampleReview: PersonalRecord = {
  id: "44444444-4444-4444-8444-444444444444",
  version: "1",
  structural_type: "Review",
  type: "Review",
  payload: "{}",
  source_artefacts: ["33333333-3333-4333-8333-333333333333"],
  produced_by_agent: "maintainer",
  goal_id: "11111111-1111-4111-8111-111111111111",
  claim_id: "55555555-5555-4555-8555-555555555555",
  metadata: { summary: "Approved by Ada Lovelace", comment: "Good." },
};

/** `change`: of the statement, before it is signed. */
export function sampleAct(
  record: PersonalRecord = sampleReview,
  {
    signer = sshSigner(),
    change = {},
    actor = sampleActor,
    instance = "demo",
    at = Date.UTC(2026, 10, 18, 23, 20),
    about = content,
  }: {
    signer?: ReturnType<typeof sshSigner>;
    change?: Partial<Statement>;
    actor?: string;
    instance?: string;
    at?: number;
    about?: string;
  } = {},
) {
  const act = actOf(record);
  if (act === undefined) throw new Error("no act of a person");
  const stated = statedBy(record, { act, actor, instance, content: about });
  const statement = statementText({
    ...{ sett_statement: "1", meaning: "approval", ...stated },
    at: new Date(at).toISOString(),
    ...change,
  });
  const marks = { statement, signature: signer.sign(statement) };
  const { signers } = readSigners(signer.line(stated.principal));
  const order: ActOrder = { stated, signers, at };
  return { signer, order, marks, at };
}
