// Reads, over the blackboard's port, all that a goal's status is derived from.
import type { ArchivedGoal } from "../../model/archived-goal.ts";
import type { ArtefactHead } from "../../model/artefact.ts";
import type { ClaimSnapshot, MalformedClaim } from "../../model/claim.ts";
import type { ArtefactId, ClaimId, GoalId } from "../../model/ids.ts";
import type { GoalEnding } from "../port/artefacts.ts";
import type { Blackboard } from "../port/blackboard.ts";

/** The part of the blackboard that the reading needs: every program that reads goals has it. */
type GoalReading = Pick<
  Blackboard,
  | "readGoal"
  | "listArtefactsOfGoal"
  | "listOpenQuestions"
  | "claimsOfArtefact"
  | "readClaims"
  | "endOfEvents"
>;

/**
 * Artefacts of a goal with their claims. `artefacts` and `claims`: how many the goal has; both only
 * grow.
 */
export type GoalListing = { artefacts: number; claims: number; causes: Causes };

/** Artefact → cause → claim. */
type Causes = Map<ArtefactId, Map<string, ClaimId>>;

export type StoredGoal = {
  goal: GoalId;
  ended: GoalEnding | undefined;
  /** Its state when a file of `sett prune` got all of it: what is left here shows another. */
  archived: ArchivedGoal["state"] | undefined;
  /** The name of the trigger that has stated it, if one has. */
  trigger: string | undefined;
  /** In whose budgets it counts: a person's or a trigger's. */
  payer: string | undefined;
  /** Oldest first; the goal itself is among them. */
  artefacts: ArtefactHead[];
  listing: GoalListing;
  causes: Causes;
  /** Questions that wait for a person, of whichever goal. */
  openQuestions: Set<ArtefactId>;
  claims: ClaimSnapshot[];
  /** The claims that cannot be read. */
  malformed: MalformedClaim[];
};

/** Several reads are no snapshot: they are repeated while the goal changes between them. */
const maxTries = 20;

/**
 * `readHeads`: the artefacts of these ids, in their order. `isOpen`: whether what was read has an
 * open claim, so that no check is needed. Where all claims have ended, the goal is read again if it
 * has changed meanwhile: what claims lead to is written before they end. `needed`: the claims that
 * are to be read; all that are listed, where it is missing. `list`: what is to be read of the goal,
 * where that is not all.
 */
export async function readGoalFacts(
  board: GoalReading,
  goal: GoalId,
  readHeads: (
    ids: readonly ArtefactId[],
    claims: readonly ClaimSnapshot[],
  ) => Promise<ArtefactHead[]>,
  isOpen: (stored: StoredGoal) => boolean,
  needed: (
    claims: readonly ClaimId[],
    ids: readonly ArtefactId[],
  ) => Promise<readonly ClaimId[]> = async (claims) => claims,
  list: () => Promise<GoalListing> = () => listAll(board, goal),
): Promise<StoredGoal> {
  for (let tries = 1; ; tries += 1) {
    const end = await board.endOfEvents();
    const [{ ended, archived, trigger, payer }, listing, openQuestions] = await Promise.all([
      board.readGoal(goal),
      list(),
      board.listOpenQuestions(),
    ]);
    const { causes } = listing;
    const ids = [...causes.keys()];
    const malformed: MalformedClaim[] = [];
    const claims = await board.readClaims(await needed(claimsIn(causes), ids), (one) =>
      malformed.push(one),
    );
    const artefacts = await readHeads(ids, claims);
    const stored = {
      goal,
      ended,
      archived: archived?.state,
      trigger,
      payer,
      artefacts,
      listing,
      causes,
      openQuestions: new Set(openQuestions),
      claims,
      malformed,
    };
    if (isOpen(stored) || tries === maxTries) return stored;
    // Every change of a goal is an event: where nothing at all has happened, none of its records
    // need be counted again.
    if ((await board.endOfEvents()) === end || isSame(await list(), listing)) return stored;
  }
}

async function listAll(board: GoalReading, goal: GoalId): Promise<GoalListing> {
  const ids = await board.listArtefactsOfGoal(goal);
  const claims = await Promise.all(ids.map((id) => board.claimsOfArtefact(id)));
  const causes: Causes = new Map(
    ids.map((id, index) => [id, claims[index] ?? new Map<string, ClaimId>()]),
  );
  return { artefacts: ids.length, claims: claimsIn(causes).length, causes };
}

function claimsIn(causes: Causes): ClaimId[] {
  return [...causes.values()].flatMap((ofArtefact) => [...ofArtefact.values()]);
}

/** Artefacts and claims are only added, so that counting them is enough. */
function isSame(one: GoalListing, other: GoalListing): boolean {
  return one.artefacts === other.artefacts && one.claims === other.claims;
}
