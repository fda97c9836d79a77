// The append-only files of Redis, and its list of them. Pure.

const listName = "appendonly.aof.manifest";

/** The name that a file of Redis has in a back-up, or undefined for any other file. */
export function nameInBackup(path: string): string | undefined {
  const name = /^appendonlydir\/(.+)$/.exec(path)?.[1] ?? "";
  if (name === listName) return name;
  const [, number, rest] =
    /^appendonly\.aof\.(\d+)\.((?:base|incr)\.(?:rdb|aof))$/.exec(name) ?? [];
  return rest === undefined ? undefined : `appendonly.aof.${next(number)}.${rest}`;
}

/**
 * The list of the files under the names of `nameInBackup`, without those that Redis is about to
 * remove.
 */
export function listInBackup(list: string): string {
  const lines = list.split("\n").filter((line) => /\btype [bi]\b/.test(line));
  return lines
    .map((line) => line.replace(/\.(\d+)\./, (_, number) => `.${next(number)}.`))
    .map((line) => `${line.replace(/ seq (\d+)/, (_, number) => ` seq ${next(number)}`)}\n`)
    .join("");
}

/**
 * Redis does not begin an empty blackboard beside a base file of another number than 1 that no list
 * names (redis-files.ts), as where a restore was killed: the list is written last.
 */
function next(number: string | undefined): number {
  return Number(number) + 1;
}

/** The files that a list names, in its order. */
export function namesIn(list: string): string[] {
  return list.split("\n").flatMap((line) => /^file (\S+) /.exec(line)?.[1] ?? []);
}

/** A snapshot of Redis is a base file by itself. */
export const snapshotName = "appendonly.aof.2.base.rdb";
export const listOfSnapshot = `file ${snapshotName} seq 2 type b\n`;
export { listName };
