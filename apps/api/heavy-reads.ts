// Reads that may take hundreds of megabytes each: no client, and no page with many tabs, makes the
// API's container run out of memory.
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
    pack: (board, artefact) => few.run(() => repository.pack(board, artefact)),
    changes: (board, artefact, wanted) =>
      few.run(() => repository.changes(board, artefact, wanted)),
  };
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
