// Brings what a partial clone lacks of the commits that agents are to see. Agents never fetch: the
// person's git does it before, or says why it cannot.
//
// The objects go into the person's repository, as with any git that misses one, so that they are
// fetched once. A clone without trees (`--filter=tree:0`) needs two rounds, because only its trees
// say which files it lacks.
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SettError } from "../../model/errors.ts";
import type { CommitHash } from "../../model/ids.ts";
import { shellWord } from "../../model/shell-word.ts";
import { borrowing } from "./borrowing.ts";
import { changeOwner } from "./change-owner.ts";
import { type RepositoryPlace, unusable } from "./find-repository.ts";
import { namingWaits } from "./person-programs.ts";
import type { GitProgress, GitWait } from "./progress.ts";
import { failureLine, type Git, runGit, tryGit } from "./run-git.ts";
import { sshOfPerson } from "./ssh-of-person.ts";

/** `path`: the object store that is to be whole; it borrows from the repository. */
interface Source {
  readonly git: Git;
  readonly place: RepositoryPlace;
  readonly path: string;
  readonly onProgress?: ((news: GitProgress | GitWait) => void) | undefined;
}

/** `revisions`: as git reads them from stdin. `ends`: the commits where history ends. */
type Reached = { revisions: readonly string[]; ends: ReadonlySet<string> };

/** A server is asked for so many objects at once. */
const maxAtOnce = 50_000;
/** A server that is gone is not waited for longer, because a person waits. */
const stillMs = 2 * 60_000;

/**
 * Returns at once where the repository is no partial clone. Throws repository-unusable, with git's
 * reason, where an object cannot be fetched.
 */
export async function fetchMissing(store: Source, reached: Reached): Promise<void> {
  if (store.place.promisors.length === 0) return;
  let before: ReadonlySet<string> = new Set();
  for (;;) {
    const missing = await missingObjects(store, reached);
    if (missing.length === 0) return;
    if (store.git.mayFetch === false) throw cannotFetchHere(store, missing.length);
    if (missing.some((object) => before.has(object)))
      throw cannotFetch(store, missing.length, "the server has not sent them");
    const reason = await fetchFromAny(store, missing);
    if (reason !== undefined) throw cannotFetch(store, missing.length, reason);
    before = new Set(missing);
  }
}

/** The files of the commit alone: a bare partial clone has not even those of HEAD. */
export async function fetchFiles(
  { git, place }: Pick<Source, "git" | "place">,
  commit: CommitHash,
): Promise<void> {
  const source = { git, place, path: place.objectsDir };
  await fetchMissing(source, { revisions: [commit], ends: new Set([commit]) });
}

async function missingObjects(
  { git, place, path }: Source,
  { revisions, ends }: Reached,
): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), "sett-ends-"));
  const shallow = join(folder, "shallow");
  const missing: string[] = [];
  let rest = "";
  const onStdout = (chunk: Uint8Array) => {
    const lines = `${rest}${Buffer.from(chunk).toString("latin1")}`.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.startsWith("?")) missing.push(line.slice(1));
  };
  try {
    await writeFile(shallow, [...ends].map((commit) => `${commit}\n`).join(""));
    await runGit(git, {
      args: [
        ...[`--git-dir=${place.gitDir}`, "rev-list", "--objects", "--no-object-names"],
        ...["--missing=print", "--stdin"],
      ],
      env: {
        GIT_OBJECT_DIRECTORY: path,
        ...borrowing(place.objectsDir),
        GIT_SHALLOW_FILE: ends.size === 0 ? "" : shallow,
      },
      stdin: revisions.map((revision) => `${revision}\n`).join(""),
      onStdout,
    });
    return missing;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Asks one remote after the other. Undefined on success, else why none has sent all. */
async function fetchFromAny(
  store: Source,
  objects: readonly string[],
): Promise<string | undefined> {
  const reasons: string[] = [];
  for (const remote of store.place.promisors) {
    const reason = await fetchFrom(store, remote, objects);
    if (reason === undefined) return undefined;
    reasons.push(`${remote}: ${reason}`);
  }
  return reasons.join("; ");
}

/** With the arguments of git's own fetches of single objects. */
async function fetchFrom(
  { git, place, onProgress }: Source,
  remote: string,
  objects: readonly string[],
): Promise<string | undefined> {
  const args = [
    ...[`--git-dir=${place.gitDir}`, "-c", "fetch.negotiationAlgorithm=noop", "fetch"],
    ...["--no-tags", "--no-write-fetch-head", "--recurse-submodules=no", "--filter=blob:none"],
    ...[onProgress === undefined ? "--quiet" : "--progress", "--stdin", "--end-of-options", remote],
  ];
  const patient = { ...git, limits: { ...git.limits, stillMs } };
  const env = await sshOfPerson(git, place.gitDir);
  let hasBegun = false;
  const onCount =
    onProgress &&
    ((progress: GitProgress) => {
      hasBegun = true;
      onProgress(progress);
    });
  // Once it counts, it waits for the server alone.
  const onSlow = (waitsFor: string) => {
    if (!hasBegun) onProgress?.({ waitsFor });
  };
  for (let at = 0; at < objects.length; at += maxAtOnce) {
    const some = objects.slice(at, at + maxAtOnce);
    const stdin = some.map((object) => `${object}\n`).join("");
    const run = { args, env, stdin, isFetch: true, onProgress: onCount };
    const fetched = await namingWaits("fetch", { git, place, onSlow }, () => tryGit(patient, run));
    await ownPacks(place);
    if (fetched.exitCode !== 0) return fetched.limit ?? reasonIn(fetched.stderr);
  }
  return undefined;
}

/** What the program that reaches the server says is more than what git says of it. */
function reasonIn(stderr: string): string {
  const lines = stderr.split(/[\r\n]+/).filter((line) => line.trim() !== "");
  const own = lines.filter(
    (line) =>
      !/^(?:fatal: could not read from remote|please make sure|and the repository exists|remote: \w+ objects|receiving)/i.test(
        line,
      ),
  );
  const said = failureLine(own.join("\n")) ?? failureLine(stderr) ?? "git fetch has failed";
  return said.replace(/\.$/, "");
}

/** What root has fetched belongs to the owner of the repository, whose git may remove it. */
async function ownPacks({ objectsDir, owner }: RepositoryPlace): Promise<void> {
  const packs = join(objectsDir, "pack");
  const names = await readdir(packs).catch(() => []);
  await changeOwner(owner, ...names.map((name) => join(packs, name)));
}

const lacks = ({ place }: Source, count: number) =>
  `The partial clone ${place.toplevel} lacks ${count} object${count === 1 ? "" : "s"} that agents would see`;

function cannotFetch(store: Source, count: number, reason: string): SettError {
  const [remote = ""] = store.place.promisors;
  return unusable(
    `${lacks(store, count)}, and git cannot fetch ${count === 1 ? "it" : "them"}: ${reason}.`,
    `\`git fetch ${shellWord(remote)}\` must work here without asking for anything (a credential helper, a key in ssh-agent). Then the same again.`,
  );
}

function cannotFetchHere(store: Source, count: number): SettError {
  return unusable(
    `${lacks(store, count)}, and the API cannot reach its remote.`,
    "Run `sett forage` or `sett up` in the repository: they fetch what is missing.",
  );
}
