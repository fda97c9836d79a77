// Finds a claim by its id, or the beginning of it.
import type { PersonBlackboard } from "../../../lib/blackboard/port/holders.ts";
import type { ClaimSnapshot } from "../../../lib/model/claim.ts";
import { SettError } from "../../../lib/model/errors.ts";
import { ClaimId } from "../../../lib/model/ids.ts";

/**
 * Only open claims are found by a beginning. Throws `artefact-not-found`, `artefact-ambiguous`, and
 * as `readClaim`.
 */
export async function findClaim(
  board: Pick<PersonBlackboard, "readClaim" | "listOpenClaims">,
  text: string,
): Promise<ClaimSnapshot> {
  const start = text.toLowerCase();
  const whole = ClaimId.safeParse(start).data;
  if (whole !== undefined) {
    const found = await board.readClaim(whole);
    if (found !== undefined) return found;
    throw new SettError("artefact-not-found", `There is no claim ${start}.`, {
      hint: "`/v1/claims` lists the ids.",
    });
  }
  const [only, ...others] = (await board.listOpenClaims()).filter((id) => id.startsWith(start));
  const found = only === undefined ? undefined : await board.readClaim(only);
  if (found === undefined)
    throw new SettError("artefact-not-found", `There is no open claim ${start}.`, {
      hint: "Of a claim that has ended, give the whole id.",
    });
  if (others.length === 0) return found;
  throw new SettError(
    "artefact-ambiguous",
    `${start} is the beginning of ${others.length + 1} ids of claims.`,
    {
      hint: "Give more characters.",
    },
  );
}
