// The lines in which one text differs from another, for a person to look at.

/** `line`: of the first one, from 1 on, in the new text. */
export type ChangedLines = { line: number; removed: string[]; added: string[] };

/** One place: what is the same before it and behind it is left out. */
export function changedLines(before: string, after: string): ChangedLines {
  const old = before.split("\n");
  const now = after.split("\n");
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head += 1;
  let tail = 0;
  const most = Math.min(old.length, now.length) - head;
  while (tail < most && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  return {
    line: head + 1,
    removed: old.slice(head, old.length - tail),
    added: now.slice(head, now.length - tail),
  };
}
