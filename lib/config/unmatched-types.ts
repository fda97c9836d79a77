// Warns of rules for a type that is nearly one of Sett's own: allowed, because agents choose their
// types, but mostly a typing mistake. And of rules that can match nothing: a goal changes no file.
import { codeCommitType, goalType } from "../model/artefact.ts";
import type { SettConfig } from "../model/config.ts";
import { nearestWord } from "./nearest-word.ts";
import type { ConfigPath } from "./problems.ts";

/** Agents bid on artefacts of these types that are Sett's own. */
const ownTypes = [goalType, codeCommitType];

const ofGoal = "never matches: a goal changes no file, and its commit is where the work begins";

export function unmatchedTypes(config: SettConfig): { path: ConfigPath; sentence: string }[] {
  return [...config.agents, ...config.external, ...config.people, ...config.builtIn].flatMap(
    ({ name, bids }) =>
      bids.flatMap(({ on, paths }, index) => {
        if (on === goalType && paths !== undefined)
          return [{ path: ["agents", name, "bids", index, "paths"], sentence: ofGoal }];
        const meant =
          on.includes("*") || ownTypes.includes(on) ? undefined : nearestWord(on, ownTypes);
        if (meant === undefined) return [];
        const path = ["agents", name, "bids", index, "on"];
        return [{ path, sentence: `\`${on}\` is no type of Sett's: did you mean \`${meant}\`?` }];
      }),
  );
}
