// What is in the exchange and was not published there: a run that was ended with its container may have left it, and others can read it.
import { lstatSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../model/errors.ts";
import { maxAgents } from "./exchange.ts";
import { FolderOfAgents } from "./folder-of-agents.ts";
import { isBeingWritten, packNames } from "./own-packs.ts";

/** `path`: of the agent's folder. `names`: of what was left in it. `problem`: why it cannot be looked into. */
export type LeftInFolder = { agent: string; path: string; names: string[]; problem?: string };

/** Of more entries the rest is not looked at. */
const maxEntries = 100_000;

/** Of each agent that has left something. `path`: of the exchange. `now`: Unix time in milliseconds. */
export function leftInExchange(path: string, now = Date.now()): LeftInFolder[] {
  using exchange = FolderOfAgents.open(path);
  if (exchange === undefined) return [];
  return exchange
    .names(maxAgents)
    .sort()
    .map((agent) => leftBy(exchange, { agent, path: join(path, agent) }, now))
    .filter(({ names, problem }) => names.length > 0 || problem !== undefined);
}

function leftBy(exchange: FolderOfAgents, { agent, path }: { agent: string; path: string }, now: number): LeftInFolder {
  try {
    using folder = exchange.folder(agent);
    const names = folder?.names(maxEntries).filter((name) => !isPublished(path, name, now)) ?? [];
    return { agent, path, names: names.sort() };
  } catch (error) {
    return { agent, path, names: [], problem: messageOf(error) };
  }
}

function isPublished(path: string, name: string, now: number): boolean {
  const stats = lstatSync(join(path, name), { throwIfNoEntry: false });
  // A name that is no UTF-8 is not found, and is no pack's.
  if (stats === undefined) return false;
  return stats.isFile() && (packNames.test(name) || isBeingWritten(name, stats, now));
}
