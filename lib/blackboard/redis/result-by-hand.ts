// The grant that a result written by hand ends, in Redis.
import type { ArtefactHead } from "../../model/artefact.ts";
import type { Claim, Grant } from "../../model/claim.ts";
import { endByHand, resultProblem } from "../records/result-by-hand.ts";
import type { ArgumentOf } from "./call.ts";
import { grantOfText, textOfGrant } from "./claim-fields.ts";
import type { Deps } from "./deps.ts";
import { eventRecord } from "./records.ts";

/**
 * What becomes of the grant that the artefact names, as the grant is now: adopt-artefact.lua writes
 * it where the grant is still the same. Undefined for an artefact that names none. A grant that
 * cannot be ended is refused by the function, which says why.
 */
export async function resultByHand(
  { connection, keys }: Deps,
  artefact: ArtefactHead,
  at: string,
): Promise<ArgumentOf<"result_by_hand"> | undefined> {
  const { claim_id: id, produced_by_agent: agent } = artefact;
  if (id === "" || agent === "") return undefined;
  const [[goal_id, artefact_id, kind], text] = await connection.run((client) =>
    Promise.all([
      client.hmGet(keys.claim(id), ["goal_id", "artefact_id", "kind"]),
      client.hGet(keys.grants(id), agent),
    ]),
  );
  const grant = parsedGrant(text ?? "");
  const unchanged = {
    grant_as_read: text ?? "",
    problem: "",
    grant: text ?? "",
    started: undefined,
    ended: noEvent,
  };
  if (!goal_id || !artefact_id || (grant?.state !== "queued" && grant?.state !== "running"))
    return unchanged;
  // The functions have written these fields.
  const claim = { id, goal_id, artefact_id, kind } as Pick<
    Claim,
    "id" | "goal_id" | "artefact_id" | "kind"
  >;
  const thread = await connection.run((client) =>
    client.hGet(keys.artefact(artefact_id), "logical_id"),
  );
  const end = endByHand(claim, grant, artefact, at);
  return {
    grant_as_read: text ?? "",
    problem: resultProblem(artefact, claim, grant, { logical_id: thread ?? "" }) ?? "",
    grant: textOfGrant(end.grant),
    started: end.started && eventRecord(end.started, "hand"),
    ended: eventRecord(end.ended, "hand"),
  };
}

const noEvent = { type: "", text: "" };

/**
 * Undefined where there is none, or a person has damaged it: then the function fails, and names the
 * place.
 */
function parsedGrant(text: string): Grant | undefined {
  try {
    return grantOfText(text);
  } catch {
    return undefined;
  }
}
