/** What is shown of an id: its first eight characters are enough to tell the few that a person has before their eyes apart. */
export function shortId(id: string): string {
  return id.slice(0, 8);
}
