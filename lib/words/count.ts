// Large numbers for people.

/** `20 541`: groups of three digits. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, " ");
}
