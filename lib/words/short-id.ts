/** The first eight characters of an id: enough to tell apart the few that a person sees at once. */
export function shortId(id: string): string {
  return id.slice(0, 8);
}
