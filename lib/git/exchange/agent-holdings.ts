// The folders of the exchange as a person looks at them: how much is in each, and what in it was
// not published. A run that was ended with its container may have left that, and others can read
// it.
import { lstatSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../../model/errors.ts";
import { UntrustedFolder } from "../run/untrusted-folder.ts";
import { maxAgents } from "./exchange.ts";
import { commitIn, isBeingWritten } from "./pack-name.ts";
import type { AgentHoldings } from "./port.ts";

/** The rest of more entries is not looked at. */
const maxEntries = 100_000;

/** The folder of each agent, by name. `path`: of the exchange. `now`: Unix time in milliseconds. */
export function agentHoldings(path: string, now = Date.now()): AgentHoldings[] {
  using exchange = UntrustedFolder.open(path);
  if (exchange === undefined) return [];
  return exchange
    .names(maxAgents)
    .sort()
    .map((agent) => lookInto(exchange, { agent, path: join(path, agent) }, now));
}

function lookInto(
  exchange: UntrustedFolder,
  { agent, path }: { agent: string; path: string },
  now: number,
): AgentHoldings {
  const unpublished: string[] = [];
  /** By inode: the commits of a chain have one file. */
  const sizes = new Map<number, number>();
  try {
    using folder = exchange.folder(agent);
    for (const name of folder?.names(maxEntries) ?? []) {
      const stats = lstatSync(join(path, name), { throwIfNoEntry: false });
      // A name that is no UTF-8 is not found, and is no pack's.
      const isPublished =
        stats?.isFile() === true &&
        (commitIn(name) !== undefined || isBeingWritten(name, stats, now));
      if (isPublished) sizes.set(stats.ino, stats.size);
      else unpublished.push(name);
    }
    const bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0);
    return { agent, path, unpublished: unpublished.sort(), bytes };
  } catch (error) {
    return { agent, path, unpublished: [], bytes: 0, problem: messageOf(error) };
  }
}
