// Divides what may be large into pieces that fit into memory.

/**
 * The items in their order, in pieces of at most `max.bytes` and `max.items`; an item that is
 * larger is a piece of its own.
 */
export function* piecesOf<Item>(
  items: readonly Item[],
  bytesOf: (item: Item) => number,
  max: { bytes: number; items: number },
): Generator<Item[]> {
  let piece: Item[] = [];
  let bytes = 0;
  for (const item of items) {
    const more = bytesOf(item);
    if (piece.length > 0 && (bytes + more > max.bytes || piece.length >= max.items)) {
      yield piece;
      piece = [];
      bytes = 0;
    }
    piece.push(item);
    bytes += more;
  }
  if (piece.length > 0) yield piece;
}
