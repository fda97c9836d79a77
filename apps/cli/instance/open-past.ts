// What commands that only look at the past look at: the blackboard of a sett that runs, or an archive of `sett prune`.
import { resolve } from "node:path";
import type { Blackboard } from "../../../lib/blackboard/port.ts";
import type { ArtefactId } from "../../../lib/model/ids.ts";
import { archiveBoard } from "../archive/board.ts";
import type { ReadingBoard } from "../facts/reading-board.ts";
import { workspaceRoot } from "../program/workspace-root.ts";
import type { Shell } from "../terminal/shell.ts";
import { fetchResults, readResults } from "./fetch-results.ts";
import { openSession } from "./session.ts";

/** `workspace`: the repository that has the commits, as far as is known. */
type Past = AsyncDisposable & {
  board: ReadingBoard;
  /** The same, where it is one of a sett that runs. */
  live: Blackboard | undefined;
  workspace: string | undefined;
  /** Brings the commits on record there, and tells why that of an artefact cannot be had. Those of an archive were fetched before it was written. */
  fetch(of: ArtefactId): Promise<unknown>;
};

export async function openPast(
  shell: Shell,
  { archive, name }: { archive: string | undefined; name: string | undefined },
): Promise<Past> {
  if (archive !== undefined) {
    const board = await archiveBoard(resolve(shell.cwd, archive));
    return {
      board,
      workspace: await workspaceRoot(shell.cwd),
      live: undefined,
      fetch: async () => {},
      [Symbol.asyncDispose]: async () => {},
    };
  }
  const opened = await openSession(shell, name);
  const { board, place } = opened;
  const fetch = (of: ArtefactId) => fetchResults(shell, place.workspace, () => readResults(board), { of });
  return { board, live: board, workspace: place.workspace, fetch, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
}
