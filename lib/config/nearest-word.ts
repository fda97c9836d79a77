// "Did you mean …?"

/**
 * The candidate most like `word`, or undefined when none is similar enough to be a typing mistake.
 */
export function nearestWord(word: string, candidates: readonly string[]): string | undefined {
  const allowed = Math.max(1, Math.floor(word.length / 3));
  const ranked = candidates
    .map((candidate) => ({
      candidate,
      distance: distanceBetween(word.toLowerCase(), candidate.toLowerCase()),
    }))
    .filter(({ distance }) => distance <= allowed)
    .sort((a, b) => a.distance - b.distance);
  return ranked[0]?.candidate;
}

/** Letters to insert, delete, replace or swap with their neighbour (optimal string alignment). */
function distanceBetween(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const isSame = a[i - 1] === b[j - 1];
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const costs = [at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + (isSame ? 0 : 1)];
      if (isSwap) costs.push(at(beforeLast, j - 2) + 1);
      row.push(Math.min(...costs));
    }
    beforeLast = last;
    last = row;
  }
  return at(last, b.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
