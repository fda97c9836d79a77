// Looks for what a commit names beside its own objects, once partial clones of its submodules have
// all of it.
import { join } from "node:path";
import type { CommitHash } from "../../model/ids.ts";
import { fetchMissing } from "../run/fetch-missing.ts";
import { promisorsOf } from "../run/find-repository.ts";
import { type Attachments, attachmentsOf } from "../run/lfs-sources.ts";
import type { Store } from "./store.ts";
import { linesOf } from "./store-notes.ts";

/** A clone whose remote cannot be reached stays partial, and is named as such. */
export async function wholeAttachments(store: Store, commit: CommitHash): Promise<Attachments> {
  const tried = new Set<string>();
  for (;;) {
    const attachments = await attachmentsOf(store, commit);
    const partial = attachments.submodules.flatMap((each) =>
      each.gitDir === undefined && each.partial !== undefined
        ? [{ ...each.partial, commit: each.commit }]
        : [],
    );
    const left = partial.filter((each) => !tried.has(`${each.gitDir} ${each.commit}`));
    if (left.length === 0) return attachments;
    for (const each of left) {
      tried.add(`${each.gitDir} ${each.commit}`);
      await fetchClone(store, each).catch(() => undefined);
    }
  }
}

type PartialClone = { gitDir: string; objectsDir: string; commit: CommitHash };

async function fetchClone(
  store: Store,
  { gitDir, objectsDir, commit }: PartialClone,
): Promise<void> {
  const promisors = await promisorsOf(store.git, gitDir);
  const place = { ...store.place, gitDir, objectsDir, promisors };
  const ends = new Set(await linesOf(join(gitDir, "shallow")));
  await fetchMissing({ ...store, place, path: objectsDir }, { revisions: [commit], ends });
}
