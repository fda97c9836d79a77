// Reads a date that a person types.

/**
 * `2026-11-21`, or with a time. Unix milliseconds; undefined for anything else, and for a day that
 * no month has.
 */
export function readDate(text: string): number | undefined {
  const [, day] = /^(\d{4}-\d{2}-\d{2})(?:$|[T ])/.exec(text.trim()) ?? [];
  if (day === undefined) return undefined;
  // The 31st of February would be taken for a day in March.
  const begins = new Date(`${day}T00:00:00Z`);
  if (Number.isNaN(begins.getTime()) || !begins.toISOString().startsWith(day)) return undefined;
  const at = Date.parse(text.trim());
  return Number.isNaN(at) ? undefined : at;
}
