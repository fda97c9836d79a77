// Built-in agents: entries of sett.yml for which Sett itself does the work, in a service of the
// instance. They have no image and no command, and bid by their rules and are granted as others.
import type { PullRequestFile } from "./config-forges.ts";
import type { AgentName } from "./ids.ts";
import type { KnownPerson } from "./people.ts";

/** Kind → the keys of an entry of it. The first makes an entry one of the kind. */
export const builtInKeys = {
  forge: ["forge", "pull_request", "people"],
} as const satisfies Record<string, readonly string[]>;

export type BuiltInKind = keyof typeof builtInKeys;

/** Undefined for an agent that is not built in. `entry`: as the file has it. */
export function builtInKind(entry: Readonly<Record<string, unknown>>): BuiltInKind | undefined {
  const kinds = Object.keys(builtInKeys) as BuiltInKind[];
  return kinds.find((kind) => entry[builtInKeys[kind][0]] !== undefined);
}

/**
 * `forge`: its name in `forges`. `people`: those whose word counts. `accounts`: theirs at the
 * forge, each with the name of the person.
 */
export type ForgeAgent = {
  kind: "forge";
  name: AgentName;
  forge: string;
  pull_request: PullRequestFile;
  people: KnownPerson[];
  accounts: Record<string, string>;
};
