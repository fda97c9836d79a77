// Finds the grant that a person means, by what came of it or by its claim, and what is on record of
// its result.
import type { PersonBlackboard } from "../../../lib/blackboard/port/holders.ts";
import { readSound } from "../../../lib/client/facts/checked.ts";
import { notFound, resolveArtefactId, wrongKind } from "../../../lib/client/facts/resolve-id.ts";
import type { Suggest } from "../../../lib/client/text/suggest.ts";
import type { Artefact } from "../../../lib/model/artefact.ts";
import type { ClaimSnapshot, Grant } from "../../../lib/model/claim.ts";
import { SettError } from "../../../lib/model/errors.ts";
import { ClaimId } from "../../../lib/model/ids.ts";
import { Piece } from "../../../lib/model/pieces.ts";
import { shortId } from "../../../lib/words/short-id.ts";

/** A grant that has begun. */
export type BegunGrant = Extract<Grant, { started_at: string }>;

/** `result`: on record; undefined for work that has none yet. */
export type ExaminedGrant = ClaimSnapshot & { grant: BegunGrant; result: Artefact | undefined };

type Wanted = { grant: string; agent: string | undefined };

/**
 * Throws `usage` for what is no work of an agent, or is that of several; as `resolveArtefactId` and
 * `readSound`.
 */
export async function findGrant(
  board: PersonBlackboard,
  { grant: text, agent }: Wanted,
  suggest: Suggest,
): Promise<ExaminedGrant> {
  const claim = await findClaim(board, text);
  if (claim !== undefined) {
    const grant = ofAgent(claim, agent);
    const [id] = "artefact_ids" in grant ? grant.artefact_ids : [];
    const result = id === undefined ? undefined : await readSound(board, id, suggest);
    return { ...claim, grant, result };
  }
  const result = await readSound(board, await resolveArtefactId(board, text, suggest), suggest);
  if (result === undefined) throw notFound(text, "artefact", suggest);
  const made = result.claim_id === "" ? undefined : await board.readClaim(result.claim_id);
  const grant = made?.grants.find((one) => one.agent === result.produced_by_agent);
  if (made === undefined || grant === undefined)
    throw wrongKind(
      result,
      "what an agent's grant has led to",
      "Name a result or a Failure of an agent, or a claim.",
    );
  if (agent !== undefined && agent !== grant.agent)
    throw new SettError("usage", `${shortId(result.id)} is a result of ${grant.agent}.`, {
      hint: "Leave --agent out, or name its claim.",
    });
  const list = await listOf(board, grant, result, suggest);
  return { ...made, grant: requireBegun(grant), result: list ?? result };
}

/** A command makes all pieces of a list at once: it is compared as a whole. */
async function listOf(
  board: PersonBlackboard,
  grant: Grant,
  { id, source_artefacts }: Artefact,
  suggest: Suggest,
): Promise<Artefact | undefined> {
  const results = "artefact_ids" in grant ? grant.artefact_ids : [];
  const source = source_artefacts.find((one) => results.includes(one));
  if (results.includes(id) || source === undefined) return undefined;
  const list = await readSound(board, source, suggest);
  const pieces = Piece.array().safeParse(list?.metadata.pieces).data ?? [];
  return pieces.some((piece) => piece.id === id) ? list : undefined;
}

/** An open one may be named by the beginning of its id. */
async function findClaim(board: PersonBlackboard, text: string) {
  const start = text.trim().toLowerCase();
  const open = (await board.listOpenClaims()).filter((id) => id.startsWith(start));
  const [only] = start.length >= 6 && open.length === 1 ? open : [];
  const id = only ?? ClaimId.safeParse(start).data;
  return id && (await board.readClaim(id));
}

function ofAgent({ claim, grants }: ClaimSnapshot, agent: string | undefined): BegunGrant {
  const found = agent === undefined ? grants : grants.filter((one) => one.agent === agent);
  const [only, ...others] = found;
  const about = `claim ${shortId(claim.id)}`;
  if (only === undefined)
    throw new SettError(
      "usage",
      agent === undefined ? `No agent works on ${about}.` : `${agent} has no grant on ${about}.`,
      { hint: "`sett status` shows who works on what." },
    );
  if (others.length > 0)
    throw new SettError(
      "usage",
      `Several agents have a grant on ${about}: ${grants.map((one) => one.agent).join(", ")}.`,
      { hint: "Name one of them: --agent NAME" },
    );
  return requireBegun(only);
}

function requireBegun(grant: Grant): BegunGrant {
  if (grant.state === "queued" || grant.state === "cancelled")
    throw new SettError(
      "usage",
      `The work of ${grant.agent} has no inputs on record: it ${grant.state === "queued" ? "has not begun" : "was cancelled"}.`,
    );
  return grant;
}
