// What the record of a trigger says of a tag, in one field. A tag that goes and comes again, or back to an earlier commit, is new each time.
import type { Tag } from "../../../lib/git/tags.ts";

/** `changes`: how often it was moved, removed or made again since it was first seen. `isGone`: no tag has the name now. */
type KnownTag = { changes: number; commit: string; object?: string; isGone: boolean };

const prefix = "tag:";
const gone = "gone";

export function fieldOf(tag: string): string {
  return `${prefix}${tag}`;
}

/** Undefined where it is as it is known; else how often it has changed by now. Earlier versions wrote the commit alone. */
export function changesOf(known: ReadonlyMap<string, string>, { name, commit, object }: Tag): number | undefined {
  const before = parsed(known.get(fieldOf(name)));
  if (before === undefined) return 0;
  if (before.isGone) return before.changes;
  const isSame = before.commit === commit && (before.object ?? object) === object;
  return isSame ? undefined : before.changes + 1;
}

export function textOf({ commit, object }: Tag, changes: number): string {
  return `${commit} ${object} ${changes}`;
}

/** The fields of the tags that are gone and not known to be, with their new values. */
export function goneAmong(known: ReadonlyMap<string, string>, tags: readonly Tag[]): [field: string, value: string][] {
  const there = new Set(tags.map(({ name }) => fieldOf(name)));
  return [...known].flatMap(([field, value]): [string, string][] => {
    const before = field.startsWith(prefix) && !there.has(field) ? parsed(value) : undefined;
    return before === undefined || before.isGone ? [] : [[field, `${gone} ${gone} ${before.changes + 1}`]];
  });
}

function parsed(value: string | undefined): KnownTag | undefined {
  if (value === undefined) return undefined;
  const [commit = "", object, changes] = value.split(" ");
  return { commit, ...(object === undefined ? {} : { object }), changes: Number(changes ?? 0), isGone: commit === gone };
}
