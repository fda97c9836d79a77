/** More names make no sentence clearer. */
const maxNamed = 5;

/** The first names of a list, and how many more there are. */
export function someOf(names: readonly string[]): string {
  const shown = names.slice(0, maxNamed).join(", ");
  return names.length > maxNamed ? `${shown} and ${names.length - maxNamed} more` : shown;
}
