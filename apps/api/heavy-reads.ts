// Reads that may take hundreds of megabytes each: no client, and no page with many tabs, makes the
// API's container run out of memory.
import type { PersonBlackboard } from "../../lib/blackboard/port/holders.ts";
import { SettError } from "../../lib/model/errors.ts";
import type { ArtefactId } from "../../lib/model/ids.ts";
import type { Logs, Repository } from "./deps.ts";
import { FewAtOnce } from "./few-at-once.ts";

/**
 * A diff has up to 64 MiB, for which git itself takes some hundreds; a log has up to 5000 lines of
 * 16 KiB.
 */
const max = 2;
/** A team has so many people whose pages show one artefact at the same time. */
const maxWaiting = 30;

export function fewChanges(repository: Repository): Repository {
  const few = new FewAtOnce("reads the changes of other commits", { max, maxWaiting });
  return {
    ...repository,
    pack: (...what) => few.run(() => repository.pack(...what)),
    changes: (board, artefact, wanted) =>
      few.run(() => repository.changes(board, artefact, wanted)),
    bring: (instance, commit, pack) => few.run(() => repository.bring(instance, commit, pack)),
  };
}

/**
 * A payload has up to 16 MiB, and a few copies of it are made on its way. Most are short: all that
 * wait are read within seconds.
 */
const payloads = { max: 4, maxWaiting: 200 };
const maxBytesTogether = 64 * 1024 * 1024;

/** Many large payloads at once would also be more than Redis sends within its time limit. */
export function fewPayloads(board: PersonBlackboard): PersonBlackboard {
  const few = new FewAtOnce("reads other artefacts", payloads);
  return {
    ...board,
    readArtefact: (id) => few.run(() => board.readArtefact(id)),
    readWithDigest: (id) => few.run(() => board.readWithDigest(id)),
    readRecord: (id) => few.run(() => board.readRecord(id)),
    readArtefacts: (ids) =>
      few.run(async () => {
        if (ids.length > 1) await requireFew(board, ids);
        return await board.readArtefacts(ids);
      }),
  };
}

async function requireFew(board: PersonBlackboard, ids: readonly ArtefactId[]): Promise<void> {
  const sizes = new Map(
    (await board.readHeads([...new Set(ids)])).map(({ head, payloadBytes }) => [
      head.id,
      payloadBytes,
    ]),
  );
  const bytes = ids.reduce((sum, id) => sum + (sizes.get(id) ?? 0), 0);
  if (bytes > maxBytesTogether)
    throw new SettError("usage", `These artefacts have ${bytes} bytes together.`, {
      hint: `Ask for at most ${maxBytesTogether} bytes of payloads at once.`,
    });
}

/** Each reads a part of the log, and where a clock was set, all of it. */
export function fewStories(): FewAtOnce {
  return new FewAtOnce("tells of other artefacts", { max, maxWaiting });
}

/** Logs that are followed are streams, which have a limit of their own. */
export function fewLogs(logs: Logs): Logs {
  const few = new FewAtOnce("reads other logs", { max, maxWaiting });
  return {
    read: (name, options) =>
      options.follow ? logs.read(name, options) : whole(few, () => logs.read(name, options)),
  };
}

async function* whole(few: FewAtOnce, read: () => AsyncIterable<string>): AsyncGenerator<string> {
  yield* await few.run(() => Array.fromAsync(read()));
}
