// Opens what a command reads: the blackboard of a running sett, or an archive of `sett prune`.
import { resolve } from "node:path";
import type { PersonBlackboard } from "../../../lib/blackboard/port/holders.ts";
import type { ReadingBoard } from "../../../lib/client/facts/reading-board.ts";
import type { Actor } from "../../../lib/model/event.ts";
import type { ArtefactId } from "../../../lib/model/ids.ts";
import { archiveBoard } from "../archive/board.ts";
import { workspaceRoot } from "../program/workspace-root.ts";
import type { Shell } from "../terminal/shell.ts";
import { fetchResults, readResults } from "./fetch-results.ts";
import { requireKnown } from "./known-archive.ts";
import { actorAt, openSession } from "./session.ts";

/** `workspace`: the repository with the commits, if it is known. */
export type History = AsyncDisposable & {
  board: ReadingBoard;
  /** The same, where it belongs to a running sett. */
  live: PersonBlackboard | undefined;
  workspace: string | undefined;
  /** The person at the keyboard. */
  person(): Promise<Actor>;
  /**
   * Fetches the commits on record, and reports why that of this artefact is missing. `sett prune`
   * has fetched those of an archive.
   */
  fetch(of: ArtefactId): Promise<unknown>;
};

export async function openHistory(
  shell: Shell,
  { archive, name }: { archive: string | undefined; name: string | undefined },
): Promise<History> {
  if (archive !== undefined) {
    const path = resolve(shell.cwd, archive);
    await requireKnown(path, name, shell);
    const board = await archiveBoard(path);
    const workspace = await workspaceRoot(shell.cwd);
    return {
      board,
      workspace,
      person: () => actorAt({ workspace }, shell, undefined),
      live: undefined,
      fetch: async () => {},
      [Symbol.asyncDispose]: async () => {},
    };
  }
  const opened = await openSession(shell, name);
  const { board, place } = opened;
  const fetch = (of: ArtefactId) =>
    fetchResults(shell, place.workspace, () => readResults(board), { of });
  const person = () => opened.actor();
  return {
    board,
    live: board,
    workspace: place.workspace,
    person,
    fetch,
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}
