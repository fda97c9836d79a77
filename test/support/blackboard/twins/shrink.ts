// The fewest calls that still show a difference.

/**
 * Leaves out as many items as it can, larger parts first, as long as `fails` says that what is left
 * still fails.
 */
export async function shrink<Item>(
  items: readonly Item[],
  fails: (items: readonly Item[]) => Promise<boolean>,
): Promise<Item[]> {
  let left = [...items];
  for (let size = Math.ceil(left.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let from = left.length - size; from > -size; from -= size) {
      const start = Math.max(0, from);
      const shorter = [...left.slice(0, start), ...left.slice(from + size)];
      if (shorter.length < left.length && (await fails(shorter))) left = shorter;
    }
  }
  return left;
}
