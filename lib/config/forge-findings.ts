// Finds what is wrong between `forges`, the agents that name them, and the people who speak there.
import type { ForgeAgent } from "../model/built-in.ts";
import type { AgentFile } from "../model/config.ts";
import type { AgentName } from "../model/ids.ts";
import { type PeopleFile, peopleNamed } from "../model/people.ts";
import { ReviewingForge } from "../model/trigger.ts";
import { forges as known } from "../triggers/forges.ts";
import { nearestWord } from "./nearest-word.ts";
import type { ConfigPath } from "./problems.ts";

type RawMap = Readonly<Record<string, unknown>>;
type Finding = { path: ConfigPath; sentence: string };

/** All as the file has them: the schema reports what is of another kind. */
export function forgeMistakes(agents: RawMap, forges: RawMap, people: RawMap): Finding[] {
  const names = Object.keys(forges);
  const ofAgents = Object.entries(agents).flatMap(([agent, settings]): Finding[] => {
    const { forge, pull_request } = Object(settings);
    if (typeof forge !== "string") return [];
    const path = ["agents", agent, "forge"];
    if (!names.includes(forge)) {
      const meant = nearestWord(forge, names);
      const hint = meant === undefined ? "" : `; did you mean \`${meant}\`?`;
      return [{ path, sentence: `\`forges\` has no \`${forge}\`${hint}` }];
    }
    const isAsked = Object(pull_request).approvals !== 0;
    if (!isAsked || Object.values(people).some((one) => hasAccount(one, forge))) return [];
    const sentence = `needs a person in \`people\` with an account there, \`accounts: { ${forge}: … }\`: no approval would ever count`;
    return [{ path, sentence }];
  });
  const without = Object.entries(forges).flatMap(([name, settings]): Finding[] => {
    const { kind, url } = Object(settings);
    const of = ReviewingForge.safeParse(kind);
    if (url !== undefined || !of.success || known[of.data].publicUrl !== undefined) return [];
    return [{ path: ["forges", name], sentence: "needs `url`, which says where it is" }];
  });
  return [...ofAgents, ...without];
}

function hasAccount(person: unknown, forge: string): boolean {
  const accounts: unknown = Object(person).accounts;
  return Object(accounts)[forge] !== undefined;
}

type Wanted = Pick<ForgeAgent, "forge" | "pull_request"> & { named: AgentFile["people"] };

/** Those who are named, or all, as far as they have an account at this forge. */
export function resolveForgeAgent(
  name: AgentName,
  { forge, pull_request, named }: Wanted,
  people: PeopleFile,
): ForgeAgent {
  const speakers = peopleNamed(named ?? Object.keys(people), people);
  const known = speakers.flatMap((person) => {
    const account = people[person.name]?.accounts?.[forge];
    return account === undefined ? [] : [{ person, account }];
  });
  return {
    ...{ kind: "forge", name, forge, pull_request },
    people: known.map(({ person }) => person),
    // Forges do not distinguish the case of letters in accounts.
    accounts: Object.fromEntries(
      known.map(({ person, account }) => [account.toLowerCase(), person.name]),
    ),
  };
}
