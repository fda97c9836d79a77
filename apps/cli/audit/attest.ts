// `sett audit attest`: how commits came about, signed by the notary for the tools of others, and
// with --notes kept where git keeps what belongs to a commit.
import { findSubject } from "../../../lib/client/facts/story.ts";
import { storyOfBoard } from "../../../lib/client/facts/story-of-board.ts";
import { SettError } from "../../../lib/model/errors.ts";
import { CommitHash } from "../../../lib/model/ids.ts";
import { artefactFile, idOfArtefact } from "../../../lib/proof/named-content.ts";
import { resultIn } from "../../../lib/proof/provenance.ts";
import { shortId } from "../../../lib/words/short-id.ts";
import { fetchResults, readResults } from "../instance/fetch-results.ts";
import { openSession } from "../instance/session.ts";
import type { Shell } from "../terminal/shell.ts";
import { untilSealed } from "./ask-notary.ts";
import { attestationsOf, lackingIn } from "./attestations.ts";
import { besideNotary, readCommitsOf, repositoryOf } from "./export.ts";
import { sealedGoal } from "./export-bundle.ts";
import {
  type ContentBoard,
  contentOf,
  type NamedFiles,
  noteNamed,
  nothingNamed,
} from "./named-files.ts";

type Order = { about: string; notes: boolean; name: string | undefined };

/**
 * A goal has those of all of its results. Throws `artefact-not-found`, `not-ready`, and `not-found`
 * where there is no commit of an agent.
 */
export async function attest({ about, notes, name }: Order, shell: Shell): Promise<undefined> {
  await using session = await openSession(shell, name);
  const instance = besideNotary(session);
  const { board, place } = session;
  await fetchResults(shell, place.workspace, () => readResults(board), "count");
  const source = storyOfBoard(board, async () => undefined);
  const id = await findSubject(source, about, shell.suggest);
  const [found] = await board.readHeads([id]);
  const goal = found?.head.goal_id;
  if (goal === undefined) throw noCommit(about);
  const read = () => sealedGoal(shell, { instance, goal });
  const { head, lines } = await untilSealed(shell, board, read);
  const named = nothingNamed();
  for (const { record } of lines) noteNamed(named, record);
  const wanted = String(id) === String(goal) ? undefined : artefactFile(id);
  const results = await resultsAmong(board, named, wanted);
  const repository = await repositoryOf(place, shell);
  const objects = await readCommitsOf(repository)(results.values());
  const { checkpoint, attestation_key: key } = head;
  const order = { instance, checkpoint, key, named, results, objects };
  let count = 0;
  for await (const { commit, attestation } of attestationsOf(shell, board, order)) {
    count++;
    if (!notes) await shell.out.write(attestation);
    else {
      await repository?.keepNote({ instance, commit, text: attestation });
      await shell.out.write(`${commit}\n`);
    }
  }
  const lacking = lackingIn(objects, results);
  if (lacking > 0) throw notHere(lacking);
  if (count === 0) throw noCommit(about);
  if (notes)
    shell.messages.next(
      `git push REMOTE refs/notes/sett/${instance}: it goes where the commits go`,
    );
  return undefined;
}

/** `wanted`: a file; without it all. */
async function resultsAmong(
  board: ContentBoard,
  { files, erased }: NamedFiles,
  wanted: string | undefined,
): Promise<Map<string, CommitHash>> {
  const results = new Map<string, CommitHash>();
  for (const [name, goals] of files) {
    const isWanted = wanted === undefined ? idOfArtefact(name) !== undefined : name === wanted;
    if (!isWanted || erased.has(name)) continue;
    const content = await contentOf(board, name, goals);
    const commit = content && resultIn(content)?.commit;
    if (commit !== undefined) results.set(name, CommitHash.parse(commit));
  }
  return results;
}

function notHere(count: number): SettError {
  const commits = count === 1 ? "1 commit is" : `${count} commits are`;
  return new SettError("not-found", `${commits} not attested: not in the repository here.`, {
    hint: "Do this where `sett hoard` fetches the results: in the repository of the instance.",
  });
}

function noCommit(about: string): SettError {
  return new SettError("not-found", `No agent has made a commit ${shortId(about)}.`, {
    hint: "Name a commit of an agent, its artefact, or a goal: `sett hoard` lists them.",
  });
}
