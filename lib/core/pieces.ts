// A list of pieces: whether work on one of them goes on, and what came of each
// (docs/internals/claims.md#pieces). The claim of the list is opened when none goes on.
import { isEnded } from "../model/claim.ts";
import type { ArtefactId } from "../model/ids.ts";
import type { EndedPiece, Piece } from "../model/pieces.ts";
import type { Worked, WorkedArtefact } from "../model/worked-artefact.ts";

/** The first of these on which work goes on: an open claim, or one that is still to be opened. */
export function unfinishedOf(artefacts: readonly Worked[]): ArtefactId | undefined {
  return artefacts.find(isUnfinished)?.id;
}

function isUnfinished({ structural_type, claims }: Worked): boolean {
  if (claims.some(({ status }) => !isEnded(status))) return true;
  return structural_type === "Standard" && !claims.some(({ cause }) => cause === "standard");
}

/**
 * What came of each piece, once work on all of them has ended. `artefacts`: all of the list, in the
 * order in which they were posted.
 */
export function endsOfPieces(
  pieces: readonly Piece[],
  artefacts: readonly WorkedArtefact[],
): EndedPiece[] {
  const byId = new Map(artefacts.map((one) => [one.id, one]));
  const newest = new Map<string, WorkedArtefact>();
  for (const one of artefacts) {
    const known = newest.get(one.logical_id);
    if (known === undefined || known.version < one.version) newest.set(one.logical_id, one);
  }
  const ended = pieces.map((piece): EndedPiece => ({ ...piece, results: [], failures: [] }));
  const places = new Map(pieces.map(({ id }, place) => [id, place]));
  const threads = new Map(pieces.map(({ id }) => [byId.get(id)?.logical_id ?? id, id]));
  const pieceOf = (one: WorkedArtefact): ArtefactId | undefined => {
    const seen = new Set<ArtefactId>();
    for (let at: WorkedArtefact | undefined = one; at !== undefined && !seen.has(at.id); ) {
      const piece = threads.get(at.logical_id);
      if (piece !== undefined) return piece;
      seen.add(at.id);
      // A person's version has no claim: it is of its thread.
      const before = artefacts.find(({ id }) => id === at?.logical_id);
      at = at.about === undefined ? before : byId.get(at.about);
    }
    return undefined;
  };
  for (const one of artefacts) {
    const piece = pieceOf(one);
    const place = piece === undefined ? undefined : places.get(piece);
    const end = place === undefined ? undefined : ended[place];
    if (end === undefined) continue;
    const isNewest = newest.get(one.logical_id) === one;
    if (isNewest && isResult(one) && !threads.has(one.logical_id)) end.results.push(one.id);
    if (counts(one, artefacts, { byId, newest })) end.failures.push(one.id);
  }
  return ended;
}

/** A rejected artefact is none, and neither is one whose claim has failed. */
function isResult({ structural_type, claims }: WorkedArtefact): boolean {
  if (structural_type === "Terminal") return true;
  return structural_type === "Standard" && claims.some(({ status }) => status === "complete");
}

/**
 * Whether a Failure counts: its claim is the last one about the newest version of its artefact, was
 * terminated, and its agent has posted no later one in it.
 */
function counts(
  failure: WorkedArtefact,
  artefacts: readonly WorkedArtefact[],
  known: {
    byId: ReadonlyMap<ArtefactId, WorkedArtefact>;
    newest: ReadonlyMap<string, WorkedArtefact>;
  },
): boolean {
  if (failure.structural_type !== "Failure" || failure.about === undefined) return false;
  const about = known.byId.get(failure.about);
  // That an attempt to answer a question has failed ends no work.
  if (about === undefined || about.structural_type === "Question") return false;
  if (known.newest.get(about.logical_id) !== about) return false;
  const last = about.claims.at(-1);
  if (last?.id !== failure.claim_id || last.status !== "terminated") return false;
  const later = artefacts.findLast(
    ({ structural_type, claim_id, produced_by_agent }) =>
      structural_type === "Failure" &&
      claim_id === failure.claim_id &&
      produced_by_agent === failure.produced_by_agent,
  );
  return later === failure;
}
