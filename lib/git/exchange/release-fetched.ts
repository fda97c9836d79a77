// Takes out of the exchange what the repository has: a folder of the exchange would otherwise only
// grow, and what is in it counts against its agent's limit.
//
// Other agents go on needing these commits. So they are in the store before their packs go, and the
// store says that they were fetched: an agent's cub, which puts back what a command has removed,
// then knows that this pack is no longer needed.
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { CommitHash } from "../../model/ids.ts";
import { UntrustedFolder } from "../run/untrusted-folder.ts";
import { maxAgents } from "./exchange.ts";
import { addToStore } from "./object-store.ts";
import { commitIn, packName } from "./pack-name.ts";
import type { Store } from "./store.ts";
import { noteFetched, readTips, writeTips } from "./store-notes.ts";

/** More commits than an agent publishes between two fetches. */
const maxEntries = 100_000;

/**
 * `fetched`: commits that the repository has by name. Throws git-failed; what is left goes with the
 * next fetch.
 */
export async function releaseFetched(
  store: Store,
  exchange: string,
  fetched: ReadonlySet<CommitHash>,
): Promise<void> {
  const packs = packsOf(exchange, fetched);
  // There is no store for agents that run elsewhere: their packs come and go with one fetch.
  if (packs.length === 0 || !existsSync(store.path)) return;
  const commits = [...new Set(packs.map(({ commit }) => commit))];
  await keepFetched(store, commits);
  await removePacks(exchange, packs);
}

/** Takes out what was published of these commits, which no agent needs to keep any more. */
export async function removePublished(
  store: Store,
  exchange: string,
  commits: readonly CommitHash[],
): Promise<void> {
  if (!existsSync(store.path)) return;
  await noteFetched(store, commits);
  const tips = await readTips(store);
  await writeTips(
    store,
    tips.filter((tip) => !commits.some((commit) => commit === tip)),
  );
  await removePacks(exchange, packsOf(exchange, new Set(commits)));
}

type Published = { agent: string; commit: CommitHash };

/**
 * The last name of a path in a folder that agents write to: whatever is there by now, only this
 * name goes.
 */
async function removePacks(exchange: string, packs: readonly Published[]): Promise<void> {
  for (const { agent, commit } of packs)
    await rm(join(exchange, agent, packName(commit)), { force: true }).catch(() => undefined);
}

/** The store has them from now on, in the place of the exchange. */
export async function keepFetched(store: Store, commits: readonly CommitHash[]): Promise<void> {
  await addToStore(store, commits);
  await noteFetched(store, commits);
}

function packsOf(path: string, fetched: ReadonlySet<CommitHash>): Published[] {
  using exchange = UntrustedFolder.open(path);
  return (exchange?.names(maxAgents) ?? []).flatMap((agent) => {
    using folder = exchange?.folder(agent);
    return (folder?.names(maxEntries) ?? []).flatMap((name) => {
      const commit = commitIn(name);
      return commit !== undefined && fetched.has(commit) ? [{ agent, commit }] : [];
    });
  });
}
