// Finds what is wrong between `forges`, the agents that name them, and the people who speak there.
import type { ForgeAgent } from "../model/built-in.ts";
import type { AgentFile, SettConfig } from "../model/config.ts";
import type { AgentName } from "../model/ids.ts";
import { type KnownPeople, peopleIn, peopleNamed } from "../model/people.ts";
import { isThisMachine } from "../model/proxy.ts";
import { ReviewingForge } from "../model/trigger.ts";
import { forges as known } from "../triggers/forges.ts";
import { nearestWord } from "./nearest-word.ts";
import type { ConfigPath } from "./problems.ts";

type RawMap = Readonly<Record<string, unknown>>;
type Finding = { path: ConfigPath; sentence: string };

/** All as the file has them: the schema reports what is of another kind. */
export function forgeMistakes(agents: RawMap, forges: RawMap, file: RawMap): Finding[] {
  const people = peopleIn(file);
  const names = Object.keys(forges);
  const ofAgents = Object.entries(agents).flatMap(([agent, settings]): Finding[] => {
    const { forge, pull_request, people: named } = Object(settings);
    if (typeof forge !== "string") return [];
    const path = ["agents", agent, "forge"];
    if (!names.includes(forge)) {
      const meant = nearestWord(forge, names);
      const hint = meant === undefined ? "" : `; did you mean \`${meant}\`?`;
      return [{ path, sentence: `\`forges\` has no \`${forge}\`${hint}` }];
    }
    const { approvals = 1 } = Object(pull_request);
    const count = accountsAt(forge, people, named).size;
    if (typeof approvals !== "number" || count >= approvals) return [];
    if (count > 0) {
      const sentence = `is more than the accounts that its people have there, which are ${count}`;
      return [{ path: ["agents", agent, "pull_request", "approvals"], sentence }];
    }
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

export function forgeWarnings({ forges }: Pick<SettConfig, "forges">): Finding[] {
  return Object.entries(forges).flatMap(([name, { url = "" }]) => {
    if (!isThisMachine(URL.parse(url)?.hostname ?? "")) return [];
    const sentence =
      "is the service's own container, unless it runs with `--runtime process`: write `host.docker.internal` for this machine";
    return [{ path: ["forges", name, "url"], sentence }];
  });
}

/** Returns those who are named, by their names or groups; all where it is undefined. */
function accountsAt(forge: string, people: RawMap, named: unknown): Set<string> {
  const isMeant = (name: string) =>
    !Array.isArray(named) || named.includes(name) || groupsOf(people[name]).some(isNamed);
  const isNamed = (group: unknown) => Array.isArray(named) && named.includes(group);
  const accounts = Object.entries(people).flatMap(([name, person]) => {
    const account: unknown = Object(Object(person).accounts)[forge];
    return account !== undefined && isMeant(name) ? [String(account).toLowerCase()] : [];
  });
  return new Set(accounts);
}

function groupsOf(person: unknown): unknown[] {
  const { groups } = Object(person);
  return Array.isArray(groups) ? groups : [];
}

type Wanted = Pick<ForgeAgent, "forge" | "pull_request"> & { named: AgentFile["people"] };

/** Those who are named, or all, as far as they have an account at this forge. */
export function resolveForgeAgent(
  name: AgentName,
  { forge, pull_request, named }: Wanted,
  people: KnownPeople,
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
