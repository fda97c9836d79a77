// Reads and writes what the record of a trigger says of a tag, in one field. A tag that goes and
// comes again, or back to an earlier commit, is new each time.
import type { Tag } from "./kind.ts";

/**
 * `changes`: how often it was moved, removed or made again since it was first seen. `isGone`: no
 * tag has the name now, since `goneAt` (ISO 8601).
 */
type KnownTag = {
  changes: number;
  commit: string;
  object: string;
  isGone: boolean;
  goneAt: string;
};

const prefix = "tag:";
const gone = "gone";
/**
 * The most changes of a tag that is forgotten: one that is not known begins with so many, so that
 * it is no repeat of a forgotten one.
 */
export const forgottenField = "forgotten";
const forgottenAfterMs = 30 * 86_400_000;

export function fieldOf(tag: string): string {
  return `${prefix}${tag}`;
}

/** Undefined where it is as it is known; else how often it has changed by now. */
export function changesOf(
  known: ReadonlyMap<string, string>,
  { name, commit, object }: Tag,
): number | undefined {
  const before = parsed(known.get(fieldOf(name)));
  if (before === undefined) return Number(known.get(forgottenField) ?? 0);
  if (before.isGone) return before.changes;
  const isSame = before.commit === commit && before.object === object;
  return isSame ? undefined : before.changes + 1;
}

export function textOf({ commit, object }: Tag, changes: number): string {
  return `${commit} ${object} ${changes}`;
}

/** The fields of the tags that are gone and not known to be, with their new values. */
export function goneAmong(
  known: ReadonlyMap<string, string>,
  tags: readonly Tag[],
  now: Date,
): [field: string, value: string][] {
  const there = new Set(tags.map(({ name }) => fieldOf(name)));
  return [...known].flatMap(([field, value]): [string, string][] => {
    const before = field.startsWith(prefix) && !there.has(field) ? parsed(value) : undefined;
    return before === undefined || before.isGone
      ? []
      : [[field, `${gone} ${gone} ${before.changes + 1} ${now.toISOString()}`]];
  });
}

/**
 * The fields of the tags that have been gone for so long that they need not be known, and the most
 * changes that one of them had.
 */
export function longGone(
  known: ReadonlyMap<string, string>,
  now: Date,
): { fields: string[]; changes: number } {
  const isOver = ({ isGone, goneAt }: KnownTag) =>
    isGone && !(Date.parse(goneAt) > now.getTime() - forgottenAfterMs);
  const over = [...known].flatMap(([field, value]) => {
    const tag = field.startsWith(prefix) ? parsed(value) : undefined;
    return tag !== undefined && isOver(tag) ? [{ field, changes: tag.changes }] : [];
  });
  return {
    fields: over.map(({ field }) => field),
    changes: Math.max(0, ...over.map(({ changes }) => changes)),
  };
}

function parsed(value: string | undefined): KnownTag | undefined {
  if (value === undefined) return undefined;
  const [commit = "", object = "", changes, goneAt = ""] = value.split(" ");
  return {
    commit,
    object,
    changes: Number(changes ?? 0),
    isGone: commit === gone,
    goneAt,
  };
}
