// Finds the agents whose commands keep Redis busy. Redis notes each slow command with the address
// of its connection, and not with its user. That may tell too little: the containers of agents
// share one socket, which is the address of all of them, and a caller that connects anew for each
// command has gone before the look. So the looks are repeated for as long as commands are slow.
import type { LeaderLease, SlowCaller, SlowLimit } from "../port/leader.ts";
import type { Deps } from "./deps.ts";
import { agentOfUser, prefixOfUser } from "./users.ts";

/** How many entries of Redis' log of slow commands are looked at: as many as it keeps. */
const slowEntries = 128;
type SlowEntry = [
  id: number,
  seconds: number,
  micros: number,
  words: string[],
  address: string,
  name: string,
];

type Connected = { address: string; user: string; command: string; idleSeconds: number };

/** A caller that connects anew needs a moment for it, in which nothing is slow. */
const restMs = 5;
/** So many looks in a row, in which nothing new is slow, are the end. */
const maxCalmLooks = 20;
/** By the time of the entries: no limit looks back further than the looks have lasted then. */
const maxSeconds = 3;
/**
 * So many commands must be seen while they are under way, of one agent alone, before others of the
 * same socket count as its own.
 */
const minSeen = 5;

export function slowCallersOf({
  connection,
  user: own,
}: Pick<Deps, "connection" | "user">): Pick<LeaderLease, "endSlowCallers"> {
  const prefix = prefixOfUser(own);
  const send = <Answer>(...words: string[]) =>
    connection.run((client) => client.sendCommand<Answer>(words));
  const readEntries = () => send<SlowEntry[]>("SLOWLOG", "GET", String(slowEntries));
  return {
    async endSlowCallers(after, limits) {
      const entries = await readEntries();
      const last = entries[0]?.[0] ?? -1;
      // A Redis that was started again counts from the beginning.
      if (after === undefined || last === after || overOf(entries, limits) === undefined)
        return { ended: [], last };
      const callers = new Callers(limits, prefix);
      let newest: SlowEntry | undefined;
      for (let calm = 0; calm < maxCalmLooks && secondsBetween(entries[0], newest) < maxSeconds; ) {
        // Both at once: the caller of the command that was under way has not gone then.
        const [noted, list] = await Promise.all([readEntries(), send<string>("CLIENT", "LIST")]);
        const known = newest?.[0] ?? -1;
        const fresh = noted.filter(([id]) => id > known);
        callers.look(fresh, connectionsIn(list));
        newest = noted[0] ?? newest;
        if (callers.over().length > 0) break;
        calm = fresh.length === 0 ? calm + 1 : 0;
        if (calm > 0) await new Promise((resolve) => setTimeout(resolve, restMs));
      }
      const ended = callers.over();
      for (const { user } of ended) await send("CLIENT", "KILL", "USER", user);
      return { ended, last: newest?.[0] ?? last };
    },
  };
}

/** Holds whose the slow commands are, as far as the looks have shown. */
class Callers {
  readonly #limits: readonly SlowLimit[];
  readonly #prefix: string;
  /** The newest first. */
  readonly #entries: SlowEntry[] = [];
  readonly #byUser = new Map<string, SlowEntry[]>();
  /** Holds those of a socket that several agents have. */
  readonly #ofSeveral: SlowEntry[] = [];
  /** How many of these were seen while they were under way, by user. */
  readonly #seen = new Map<string, number>();
  #before: readonly Connected[] | undefined;

  constructor(limits: readonly SlowLimit[], prefix: string) {
    this.#limits = limits;
    this.#prefix = prefix;
  }

  /** `entries`: those since the look before, the newest first. */
  look(entries: readonly SlowEntry[], connections: readonly Connected[]): void {
    const isUnderWay = this.#before !== undefined;
    const all = [...connections, ...(this.#before ?? [])];
    for (const entry of entries) {
      const there = all.filter(({ address }) => address === entry[4]);
      const user = onlyUser(there) ?? userNamed(entry, there, this.#prefix);
      const seen = user === undefined && isUnderWay ? onlyUser(sending(entry, there)) : undefined;
      if (seen !== undefined) this.#seen.set(seen, (this.#seen.get(seen) ?? 0) + 1);
      const own = user ?? seen;
      if (own !== undefined) this.#byUser.set(own, [...(this.#byUser.get(own) ?? []), entry]);
      else if (there.length > 0) this.#ofSeveral.push(entry);
    }
    this.#entries.unshift(...entries);
    this.#before = connections;
  }

  over(): SlowCaller[] {
    const [only, ...others] = this.#seen;
    const suspect = only !== undefined && others.length === 0 && only[1] >= minSeen ? only[0] : "";
    return [...this.#byUser].flatMap(([user, entries]) => {
      const agent = agentOfUser(user, this.#prefix);
      const own = user === suspect ? [...entries, ...this.#ofSeveral] : entries;
      const over = agent && overOf(own, this.#limits, this.#entries[0]);
      return agent === undefined || over === undefined ? [] : [{ user, agent, ...over }];
    });
  }
}

function secondsBetween(one: SlowEntry | undefined, other: SlowEntry | undefined): number {
  return other === undefined ? 0 : other[1] - (one?.[1] ?? 0);
}

function onlyUser(connections: readonly Connected[]): string | undefined {
  const [user, ...others] = new Set(connections.map((one) => one.user));
  return others.length === 0 ? user : undefined;
}

/** A key of its own tells an agent: no other agent has a right to it. */
function userNamed(
  [, , , words]: SlowEntry,
  there: readonly Connected[],
  prefix: string,
): string | undefined {
  const agents = new Set(keysIn(words).flatMap((key) => /:agent:([^:]+):/.exec(key)?.[1] ?? []));
  const [user, ...others] = new Set(
    there.map((one) => one.user).filter((one) => agents.has(agentOfUser(one, prefix) ?? "")),
  );
  return others.length === 0 ? user : undefined;
}

/** Only those words that Redis has checked as keys: a caller may write others as it likes. */
function keysIn([name = "", ...words]: readonly string[]): string[] {
  return /^fcall(?:_ro)?$/i.test(name) ? words.slice(2, 2 + Number(words[1])) : words.slice(0, 1);
}

/** The connections that may have sent it just now. */
function sending([, , , words]: SlowEntry, there: readonly Connected[]): Connected[] {
  const sent = words[0]?.toLowerCase();
  return there.filter(({ command, idleSeconds }) => command === sent && idleSeconds === 0);
}

/**
 * Returns what is over the first limit that is reached. Time counts back from the newest entry of
 * all.
 */
function overOf(
  entries: readonly SlowEntry[],
  limits: readonly SlowLimit[],
  newest = entries[0],
): Pick<SlowCaller, "calls" | "ms"> | undefined {
  const now = newest?.[1] ?? 0;
  for (const { calls, fromMs, ms, seconds } of limits) {
    const counted = entries.filter(
      ([, at, micros]) => at > now - seconds && micros >= fromMs * 1_000,
    );
    const sum = Math.round(counted.reduce((total, [, , micros]) => total + micros, 0) / 1_000);
    if (counted.length >= calls && sum >= ms) return { calls: counted.length, ms: sum };
  }
  return undefined;
}

/** A line for each, with fields that depend on the version of Redis. */
function connectionsIn(list: string): Connected[] {
  return list.split("\n").flatMap((line) => {
    const field = (name: string) => new RegExp(` ${name}=(\\S*)`).exec(line)?.[1] ?? "";
    if (line === "") return [];
    return [
      {
        address: field("addr"),
        user: field("user"),
        command: field("cmd"),
        idleSeconds: Number(field("idle")),
      },
    ];
  });
}
