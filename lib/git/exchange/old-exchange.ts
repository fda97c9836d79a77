// The exchange of versions before this one: one repository for all agents and instances. Nothing is
// written to it any more; what it holds is still fetched, and goals that were begun with it go on.
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { removeTree } from "../../folders/remove-tree.ts";
import type { RepositoryPlace } from "../run/find-repository.ts";
import { maxPackBytes } from "./exchange.ts";
import { type Taking, takePack } from "./take-commit.ts";
import { FolderOfAgents } from "./untrusted-folder.ts";

/** More packs than those versions have ever left. */
const maxNames = 100_000;

const pathOf = ({ commonDir }: Pick<RepositoryPlace, "commonDir">) =>
  join(commonDir, "sett/exchange.git");

export async function hasOldExchange(place: RepositoryPlace): Promise<boolean> {
  return (await lstat(pathOf(place)).catch(() => undefined)) !== undefined;
}

/**
 * Takes all packs that can be read; whether a commit is whole is seen when it is imported. Never
 * throws.
 */
export async function takeOldPacks(taking: Taking, place: RepositoryPlace): Promise<void> {
  try {
    using exchange = FolderOfAgents.open(pathOf(place));
    using objects = exchange?.folder("objects");
    using packs = objects?.folder("pack");
    for (const name of packs?.names(maxNames) ?? []) {
      if (!name.endsWith(".pack")) continue;
      try {
        using pack = packs?.file(name, maxPackBytes);
        if (pack !== undefined) await takePack(taking, pack.fd, "--fsck-objects");
      } catch {
        // A commit that is only in there is reported as missing.
      }
    }
  } catch {
    // So are all of them.
  }
}

export async function removeOldExchange(place: RepositoryPlace): Promise<void> {
  await removeTree(pathOf(place));
}
