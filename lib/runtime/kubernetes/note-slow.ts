// Says once what is waited for, where a wait lasts: a person would wonder at a longer one without a
// word.

const slowMs = 3_000;

/** Says a thing to the person at work. */
export type Note = (sentence: string) => void;

/**
 * Call the result at each look. `afterMs`: how long the wait may last without a word. Nothing is
 * said where there is no person to say it to.
 */
export function noteSlow(
  note: Note | undefined,
  sentence: () => string,
  afterMs = slowMs,
): () => void {
  const begun = performance.now();
  let isSaid = note === undefined;
  return () => {
    if (isSaid || performance.now() - begun < afterMs) return;
    isSaid = true;
    note?.(sentence());
  };
}
