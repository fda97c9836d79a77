// How much of each artefact the first message has, where all of them together are too long.

export type TextLength = { length: number; isProtected: boolean };

/** A shorter excerpt would be of no use. */
export const minExcerpt = 500;

/**
 * For each text, oldest first, how many characters of it are shown. Protected ones are shown whole,
 * whatever they need. The others get one common limit, so that the longest lose first; where it
 * would be below `minExcerpt`, the oldest are left out (0) until the rest has room.
 */
export function fitLengths(texts: readonly TextLength[], maxLength: number): number[] {
  const room =
    maxLength - sum(texts.filter((text) => text.isProtected).map(({ length }) => length));
  const others = texts.filter((text) => !text.isProtected).map(({ length }) => length);
  let omitted = 0;
  let limit = commonLimit(others, room);
  while (omitted < others.length && limit < minExcerpt) {
    omitted++;
    limit = commonLimit(others.slice(omitted), room);
  }
  let index = 0;
  return texts.map(({ length, isProtected }) => {
    if (isProtected) return length;
    return index++ < omitted ? 0 : Math.min(length, limit);
  });
}

/**
 * The largest whole limit with which the lengths together have room; infinite where none needs it.
 */
function commonLimit(lengths: readonly number[], room: number): number {
  let rest = room;
  for (const [index, length] of lengths.toSorted((a, b) => a - b).entries()) {
    const share = rest / (lengths.length - index);
    if (length > share) return Math.floor(share);
    rest -= length;
  }
  return Number.POSITIVE_INFINITY;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
