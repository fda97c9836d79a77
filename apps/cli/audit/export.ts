// `sett audit export` and `sett audit key`.
import { resolve } from "node:path";
import type { ReadingBoard } from "../../../lib/client/facts/reading-board.ts";
import { resolveGoalId } from "../../../lib/client/facts/resolve-id.ts";
import type { Suggest } from "../../../lib/client/text/suggest.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { GoalId, InstanceName } from "../../../lib/model/ids.ts";
import { shortId } from "../../../lib/words/short-id.ts";
import { archiveBoard } from "../archive/board.ts";
import { keepCheckpoint } from "../instance/keep-checkpoint.ts";
import { requireKnown } from "../instance/known-archive.ts";
import { openSession, type Session } from "../instance/session.ts";
import type { Shell } from "../terminal/shell.ts";
import { type ContentBoard, exportBundle, keyOf } from "./export-bundle.ts";

type Order = {
  goal: string | undefined;
  all: boolean;
  to: string | undefined;
  /** Files of `sett prune`. */
  archives: readonly string[];
  json: boolean;
  name: string | undefined;
};

export async function exportAudit(order: Order, shell: Shell): Promise<undefined> {
  if ((order.goal === undefined) === !order.all)
    throw new SettError("usage", "`sett audit export` needs either a goal or --all.", {
      hint: "For example: `sett audit export 9f3a12b4`",
    });
  await using session = await openSession(shell, order.name);
  const instance = besideNotary(session);
  const { board, place } = session;
  const archives = await Promise.all(
    order.archives.map((file) => knownArchive(resolve(shell.cwd, file), order.name, shell)),
  );
  const goal =
    order.goal === undefined
      ? undefined
      : await goalIn([...archives, board], order.goal, shell.suggest);
  const what = goal === undefined ? "all" : shortId(goal);
  const file = resolve(shell.cwd, order.to ?? `sett-proof-${what}.tar`);
  const { key, entries, isBehind, missing, erased } = await exportBundle(
    shell,
    boardWith(board, archives),
    { instance, goal, path: file },
    (checkpoint) => keepIn(place.workspace, shell, { instance, checkpoint }),
  );
  if (order.json)
    await shell.out.write(`${JSON.stringify({ file, key, entries, isBehind, missing, erased })}\n`);
  if (isBehind)
    shell.messages.warn("The notary is behind: what was recorded last is not sealed yet.");
  if (missing > 0)
    shell.messages.warn(`${missing} artefacts or rules that the log names are not in it. ${moved}`);
  if (erased > 0)
    shell.messages.note(
      `${erased === 1 ? "1 artefact was" : `${erased} artefacts were`} erased on record: their digests and who erased them are in it.`,
    );
  shell.messages.done(`${entries} events are in ${file}.`);
  shell.messages.next(`Anyone can check it: sett audit verify ${file} --key ${key}`);
  return undefined;
}

/** Throws `archive-unusable`. */
async function knownArchive(
  path: string,
  name: string | undefined,
  shell: Shell,
): Promise<ReadingBoard> {
  await requireKnown(path, name, shell);
  return await archiveBoard(path);
}

const moved = "Where `sett prune` has moved goals, name its file: --archive FILE";

/** Throws `artefact-not-found` where none of the boards has this goal. */
async function goalIn(
  boards: readonly ReadingBoard[],
  text: string,
  suggest: Suggest,
): Promise<GoalId> {
  const [board, ...others] = boards;
  if (board === undefined) throw new TypeError("A goal is looked for on no board.");
  return await resolveGoalId(board, text, suggest).catch((error: unknown) => {
    if (!(error instanceof SettError) || error.code !== "artefact-not-found") throw error;
    if (others.length > 0) return goalIn(others, text, suggest);
    throw new SettError(error.code, error.message, { hint: moved, cause: error });
  });
}

/** A goal that `sett prune` has moved is in an archive, and nowhere else. */
function boardWith(board: ReadingBoard, archives: readonly ReadingBoard[]): ContentBoard {
  const boards = [board, ...archives];
  return {
    endOfEvents: () => board.endOfEvents(),
    readRecord: async (id) => {
      for (const one of boards) {
        const record = await one.readRecord(id);
        if (record !== undefined) return record;
      }
      return undefined;
    },
    readFacts: async (digests, goal) => {
      const found = await Promise.all(boards.map((one) => one.readFacts(digests, goal)));
      return new Map(found.flatMap((facts) => [...facts]));
    },
  };
}

/** The clone from which it is exported has then seen what the bundle is about. */
async function keepIn(
  workspace: string | undefined,
  shell: Shell,
  noted: { instance: InstanceName; checkpoint: string },
): Promise<void> {
  if (workspace === undefined || workspace === "") return;
  const { HostRepository } = await import("../../../lib/git/repository/host-repository.ts");
  const repository = await HostRepository.open(workspace, shell).catch(() => undefined);
  if (repository !== undefined) await keepCheckpoint(repository, noted, shell);
}

export async function printKey({ name }: Pick<Order, "name">, shell: Shell): Promise<undefined> {
  await using session = await openSession(shell, name);
  await shell.out.write(`${await keyOf(shell, besideNotary(session))}\n`);
  return undefined;
}

/** Another instance of this machine may have the name of one that is reached by its API. */
export function besideNotary({ place }: Session): InstanceName {
  if (!("api" in place)) return place.instance;
  throw new SettError("not-ready", `The notary of ${place.instance} is on another machine.`, {
    hint: "Do this where `sett up` has started it.",
  });
}
