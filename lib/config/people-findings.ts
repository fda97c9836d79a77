// Finds what is wrong in the `people` of agents.
import { nearestWord } from "./nearest-word.ts";
import type { ConfigPath } from "./problems.ts";

type RawMap = Readonly<Record<string, unknown>>;

/** Both as the file has them: the schema reports what is of another kind. */
export function peopleMistakes(
  agents: RawMap,
  people: RawMap,
): { path: ConfigPath; sentence: string }[] {
  const names = Object.entries(people).flatMap(([name, settings]) => {
    const { groups } = Object(settings);
    return [name, ...(Array.isArray(groups) ? groups : [])];
  });
  return Object.entries(agents).flatMap(([agent, settings]) => {
    const { people: named } = Object(settings);
    if (!Array.isArray(named)) return [];
    return named.flatMap((name, at) => {
      if (typeof name !== "string" || names.includes(name)) return [];
      const meant = nearestWord(name, names);
      const hint = meant === undefined ? "" : `; did you mean \`${meant}\`?`;
      const sentence = `no person and no group of \`people\` has the name \`${name}\`${hint}`;
      return [{ path: ["agents", agent, "people", at], sentence }];
    });
  });
}
