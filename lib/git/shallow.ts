// Tells agents where the history of a shallow clone ends: git would otherwise look for the commits before that.
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { changeOwner } from "./change-owner.ts";
import type { RepositoryPlace } from "./find-repository.ts";

/** Beside the objects, because containers see nothing else of the repository. */
function noticePath(objectsDir: string): string {
  return join(objectsDir, "info/sett-shallow");
}

/** Notes the repository's present depth, which a fetch by the user may change. */
export async function noteDepth({ commonDir, objectsDir, owner }: RepositoryPlace): Promise<void> {
  const shallow = await readFile(join(commonDir, "shallow")).catch(() => undefined);
  if (shallow === undefined) return await forgetDepth(objectsDir);
  const path = noticePath(objectsDir);
  const unfinished = `${path}.${process.pid}`;
  await mkdir(dirname(path), { recursive: true });
  await writeFile(unfinished, shallow, { mode: 0o644 });
  await changeOwner(owner, unfinished);
  await rename(unfinished, path);
}

/** What `noteDepth` has written, in the format of git's own file `shallow`; undefined for a repository with all of its history. */
export async function readDepth(objectsDir: string): Promise<string | undefined> {
  return await readFile(noticePath(objectsDir), "utf8").catch(() => undefined);
}

export async function forgetDepth(objectsDir: string): Promise<void> {
  await rm(noticePath(objectsDir), { force: true });
}
