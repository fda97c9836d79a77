// Cutting what may be large into pieces that fit into memory.

/** The items in their order, in pieces of at most so many bytes and so many items; one that is larger by itself is a piece of its own. */
export function* piecesOf<Item>(
  items: readonly Item[],
  bytesOf: (item: Item) => number,
  most: { bytes: number; items: number },
): Generator<Item[]> {
  let piece: Item[] = [];
  let bytes = 0;
  for (const item of items) {
    const more = bytesOf(item);
    if (piece.length > 0 && (bytes + more > most.bytes || piece.length >= most.items)) {
      yield piece;
      piece = [];
      bytes = 0;
    }
    piece.push(item);
    bytes += more;
  }
  if (piece.length > 0) yield piece;
}
