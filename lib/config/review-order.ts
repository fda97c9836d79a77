// Finds what is wrong or doubtful in the `after` of bids: names that nothing has, circles, and
// names that are waited for by no review.
import { matchesPattern } from "../core/match-pattern.ts";
import type { SettConfig } from "../model/config.ts";
import { nearestWord } from "./nearest-word.ts";
import type { ConfigPath } from "./problems.ts";

type Finding = { path: ConfigPath; sentence: string };
type Rule = { on: string; from: string | undefined; bid: unknown; after: string[] };
/** `merges`: at a forge, what it approves. */
type Bidder = { name: string; role: string; rules: Rule[]; merges: boolean };
/** One rule of an agent that has `after`. */
type Waiting = { agent: Bidder; rule: Rule; at: number };

/** `agents` as the file has them: the schema reports what is of another kind. */
export function reviewOrderMistakes(agents: Readonly<Record<string, unknown>>): Finding[] {
  const bidders = Object.entries(agents).map(bidderOf);
  const names = new Set(bidders.flatMap(({ name, role }) => [name, role]));
  const waiting = bidders.flatMap((agent) =>
    agent.rules.flatMap((rule, at) => (rule.after.length === 0 ? [] : [{ agent, rule, at }])),
  );
  return [
    ...mergeMistakes(bidders),
    ...waiting.flatMap((one) => orderMistakes(one, bidders, waiting, names)),
  ];
}

function orderMistakes(
  one: Waiting,
  bidders: readonly Bidder[],
  waiting: readonly Waiting[],
  names: ReadonlySet<string>,
): Finding[] {
  const path = ["agents", one.agent.name, "bids", one.at, "after"];
  if (one.rule.bid !== "review") {
    const sentence = `needs \`bid: review\`: only reviews are asked for one after the other, and work in other phases waits for all reviews anyway`;
    return [{ path, sentence }];
  }
  const others = bidders.filter((agent) => agent !== one.agent);
  const useless = one.rule.after.flatMap((name, place): Finding[] => {
    if (others.some((other) => isCalled(other, name))) return [];
    const sentence = isCalled(one.agent, name) ? itself(name) : unknownName(name, names);
    return [{ path: [...path, place], sentence }];
  });
  if (useless.length > 0) return useless;
  const last = others.find(
    (other) => other.merges && one.rule.after.some((name) => isCalled(other, name)),
  );
  if (last !== undefined) return [{ path, sentence: afterTheLast(last) }];
  const circle = circleFrom(one, waiting);
  return circle === undefined ? [] : [{ path, sentence: circleSentence(circle) }];
}

/** Each of two that merge the same would wait for the review of the other. */
function mergeMistakes(bidders: readonly Bidder[]): Finding[] {
  const merging = bidders.filter(({ merges }) => merges);
  return merging.flatMap((one, at): Finding[] => {
    const before = merging
      .slice(0, at)
      .find(({ rules }) => rules.some((rule) => one.rules.some((own) => bothReview(rule, own))));
    const path = ["agents", one.name, "pull_request", "merge"];
    return before === undefined
      ? []
      : [{ path, sentence: `\`${before.name}\` merges the same: one agent alone may` }];
  });
}

function bothReview(one: Rule, other: Rule): boolean {
  return one.bid === "review" && other.bid === "review" && areOfOneArtefact(one, other);
}

/** Names that never bid `review` on what the rule is about: nothing would wait for them. */
export function reviewOrderWarnings(config: SettConfig): Finding[] {
  const all = [...config.agents, ...config.external, ...config.people, ...config.builtIn];
  const decidesItself = (agent: (typeof all)[number]) =>
    agent.bids.length === 0 || "bid_command" in agent || "model" in agent;
  return all.flatMap(({ name, bids }) =>
    bids.flatMap(({ on, after = [] }, at) =>
      after.flatMap((named, place): Finding[] => {
        const meant = all.filter((one) => one.name !== name && isCalled(one, named));
        const mayReview = meant.some(
          (one) =>
            decidesItself(one) ||
            one.bids.some((rule) => rule.bid === "review" && meet(rule.on, on)),
        );
        const sentence = `\`${named}\` never bids \`review\` on \`${on}\`, so \`${name}\` does not wait for it: only reviews are waited for`;
        return mayReview ? [] : [{ path: ["agents", name, "bids", at, "after", place], sentence }];
      }),
    ),
  );
}

function bidderOf([name, settings]: [string, unknown]): Bidder {
  const { role, bids, pull_request } = Object(settings);
  return {
    name,
    merges: Object(pull_request).merge !== undefined,
    role: typeof role === "string" ? role : name,
    rules: Array.isArray(bids) ? bids.map(ruleOf) : [],
  };
}

function ruleOf(entry: unknown): Rule {
  const { on, from, bid, after } = Object(entry);
  return {
    on: String(on),
    from: typeof from === "string" ? from : undefined,
    bid,
    after: Array.isArray(after) ? after.filter((name) => typeof name === "string") : [],
  };
}

function unknownName(name: string, names: ReadonlySet<string>): string {
  const meant = nearestWord(name, [...names]);
  return `no agent has the name or the role \`${name}\`${meant === undefined ? "" : `; did you mean \`${meant}\`?`}`;
}

function itself(name: string): string {
  return `\`${name}\` is this agent itself: name the reviewers that it waits for`;
}

function afterTheLast({ name }: Bidder): string {
  return `\`${name}\` merges what it approves, so that no review can come after its own`;
}

function isCalled({ name, role }: Pick<Bidder, "name" | "role">, named: string): boolean {
  return name === named || role === named;
}

/**
 * The names of agents that wait for each other, from this one back to itself; undefined where none
 * does.
 */
function circleFrom(first: Waiting, all: readonly Waiting[]): string[] | undefined {
  const seen = new Set<Waiting>();
  const ways: { last: Waiting; names: string[] }[] = [{ last: first, names: [first.agent.name] }];
  for (let way = ways.shift(); way !== undefined; way = ways.shift()) {
    const { last, names } = way;
    for (const next of all) {
      const isWaitedFor =
        next.agent !== last.agent &&
        last.rule.after.some((named) => isCalled(next.agent, named)) &&
        areOfOneArtefact(last.rule, next.rule);
      if (!isWaitedFor) continue;
      if (next.agent === first.agent) return [...names, first.agent.name];
      if (!seen.has(next)) ways.push({ last: next, names: [...names, next.agent.name] });
      seen.add(next);
    }
  }
  return undefined;
}

function circleSentence(names: readonly string[]): string {
  const links = names.slice(1).map((name, at) => `\`${names[at]}\` waits for \`${name}\``);
  return `goes in a circle: ${links.join(", ")}`;
}

function areOfOneArtefact(one: Rule, other: Rule): boolean {
  return meet(one.on, other.on) && meet(one.from ?? "*", other.from ?? "*");
}

/** Whether some text may match both patterns; of two with `*` it is taken for granted. */
function meet(one: string, other: string): boolean {
  if (!one.includes("*")) return matchesPattern(other, one);
  return other.includes("*") || matchesPattern(one, other);
}
