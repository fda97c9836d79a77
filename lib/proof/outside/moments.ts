// Between which moments the entries of a bundle were written, by those who have seen the log. Pure.
import type { Look, OutsideAnchor } from "./outside-in-bundle.ts";

export type Moment = Look & { anchor: OutsideAnchor };

/**
 * `notLater`: the earliest moment at which all entries up to `last` were there, or else as many as
 * were seen. `notEarlier`: the last moment before the notary has sealed the first of them.
 */
export function timesOf(
  anchors: readonly OutsideAnchor[],
  { first, last }: { first: number; last: number },
): { notLater: Moment | undefined; notEarlier: Moment | undefined } {
  const moments = anchors.flatMap((anchor) => {
    const seen = anchor.isWitnessed ? anchor.seen : [];
    return [...(anchor.stamp === undefined ? [] : [anchor.stamp]), ...seen].map((one) => ({
      ...one,
      anchor,
    }));
  });
  const byTime = moments.toSorted((one, other) => one.at.getTime() - other.at.getTime());
  const most = Math.max(...moments.map(({ anchor }) => anchor.size));
  const enough = Math.min(most, last + 1);
  return {
    notLater: byTime.find(({ anchor }) => anchor.size >= enough),
    notEarlier: byTime.findLast(
      ({ anchor }) => anchor.sealed !== undefined && anchor.sealed < first,
    ),
  };
}
