// The fewest of many causes that still have the effect: delta debugging.

/**
 * A sublist of `items`, in their order, with which `fails` still holds and without any one of which
 * it does not. `fails` must hold for all of them, and always says the same of the same list.
 */
export async function shrink<Item>(
  items: readonly Item[],
  fails: (fewer: readonly Item[]) => boolean | Promise<boolean>,
): Promise<readonly Item[]> {
  let left = items;
  for (let parts = 2; left.length > 0; ) {
    const size = Math.ceil(left.length / parts);
    const fewer = await firstThatFails(left, size, fails);
    if (fewer !== undefined) {
      left = fewer;
      parts = Math.max(2, parts - 1);
    } else if (size === 1) return left;
    else parts = Math.min(left.length, 2 * parts);
  }
  return left;
}

/** Without one part of this size, the first time that it is enough. */
async function firstThatFails<Item>(
  items: readonly Item[],
  size: number,
  fails: (fewer: readonly Item[]) => boolean | Promise<boolean>,
): Promise<Item[] | undefined> {
  for (let from = 0; from < items.length; from += size) {
    const fewer = [...items.slice(0, from), ...items.slice(from + size)];
    if (await fails(fewer)) return fewer;
  }
  return undefined;
}
