// The commit of a result: checked, and published to the exchange before the artefact is posted
// (docs/internals/git.md#out).
import type { ChangeOutside } from "../../../lib/git/copy/changes-outside.ts";
import type { CommitChanges } from "../../../lib/git/copy/commit-changes.ts";
import { showName } from "../../../lib/git/run/file-name.ts";
import type { Gitlink } from "../../../lib/git/run/find-submodules.ts";
import { type Artefact, codeCommitType } from "../../../lib/model/artefact.ts";
import { recordable } from "../../../lib/model/changed-paths.ts";
import { CommitHash } from "../../../lib/model/ids.ts";
import { withoutUndefined } from "../../../lib/model/without-undefined.ts";
import type { Deps } from "../program/deps.ts";
import type { OwnRegistration } from "../program/own-registration.ts";
import { findInCommits, type SecretInCommit } from "../secrets/find-in-commit.ts";
import type { Masker } from "../secrets/masker.ts";
import type { TaskInputs } from "./read-grant.ts";

/** `paths`: the files that it changes since the goal's commit; undefined where not known. */
export type Publication =
  | { ok: true; commit: CommitHash | undefined; paths?: string[] | undefined }
  | { ok: false; reason: string };

/** `seeChanges`: gets those of a commit that nothing speaks against, before it is published. */
export type Publishing = Pick<Deps, "workingCopy" | "secrets"> & {
  registration: Pick<OwnRegistration, "current">;
  seeChanges?: (changes: CommitChanges) => Promise<void>;
};

/**
 * The commit that the artefact's payload names, else the commit that HEAD has moved to. It is
 * published when the workspace is `rw`. With `ro` nothing is published, so a promised commit that
 * only this working copy has is refused. `base`: the commit at which the work began, undefined
 * without a working copy; `start`: the one that the goal was stated on. Throws git-failed.
 */
export async function publishCommit(
  { workingCopy, registration, secrets, seeChanges }: Publishing,
  artefact: Artefact,
  { base, start }: Pick<TaskInputs, "base" | "start">,
): Promise<Publication> {
  if (artefact.structural_type === "Failure") return { ok: true, commit: undefined };
  const isPromised = artefact.type === codeCommitType;
  const isHash = CommitHash.safeParse(artefact.payload.trim()).success;
  if (workingCopy === undefined || base === undefined) {
    return isPromised && !isHash ? noCommit(artefact) : { ok: true, commit: undefined };
  }
  const named =
    isPromised || isHash ? await workingCopy.resolveCommit(artefact.payload) : undefined;
  if (isPromised && named === undefined) return noCommit(artefact);
  if (registration.current.workspace_mode === "ro") {
    const isLost = isPromised && named !== undefined && !(await workingCopy.isShared(named));
    return isLost ? unpublished(named) : { ok: true, commit: undefined };
  }
  const commit = named ?? (await movedHead(workingCopy, base));
  if (commit === undefined) return { ok: true, commit };
  let paths: string[] | undefined;
  const judge = async (changes: CommitChanges) => {
    const refusal = await refusalOf(changes, commit, secrets?.masker());
    if (refusal !== undefined) return refusal;
    paths = await pathsSince(start, changes);
    await seeChanges?.(changes);
    return undefined;
  };
  const refusal = await workingCopy.publish(commit, start, { base, judge });
  return refusal ?? { ok: true, commit, ...withoutUndefined({ paths }) };
}

/** A change that cannot be listed is as good as any other: agents that bid by paths bid on it. */
async function pathsSince(
  start: CommitHash | undefined,
  changes: CommitChanges,
): Promise<string[] | undefined> {
  const paths = start && (await changes.pathsSince(start).catch(() => undefined));
  return paths && recordable(paths);
}

/** Undefined where others may have it. */
async function refusalOf(
  changes: CommitChanges,
  commit: CommitHash,
  masker: Masker | undefined,
): Promise<Publication | undefined> {
  const [link] = await changes.newGitlinks();
  if (link !== undefined) return withoutFiles(commit, link);
  const [lost] = await changes.lostGitlinks();
  if (lost !== undefined) return withLostSubmodule(commit, lost);
  const [pointer] = await changes.lostPointers();
  if (pointer !== undefined) return withLostContent(commit, pointer.path);
  const secret = masker && (await findInCommits(masker, changes));
  if (secret !== undefined) return withSecret(secret);
  const outside = await changes.outside();
  return outside && notWithin(outside);
}

async function movedHead(
  workingCopy: { head(): Promise<CommitHash> },
  base: CommitHash,
): Promise<CommitHash | undefined> {
  const head = await workingCopy.head();
  return head === base ? undefined : head;
}

function unpublished(commit: CommitHash): Publication {
  return {
    ok: false,
    reason:
      `The tool printed a ${codeCommitType} of ${commit}, which exists only in its own working copy: the agent's workspace is ro. ` +
      "Set `workspace: { mode: rw }` for the agent in sett.yml.",
  };
}

function withSecret({ secret, commit, place }: SecretInCommit): Publication {
  return {
    ok: false,
    reason:
      `The commit ${commit} has the value of the secret \`${secret}\` in ${place}, so nothing was published. ` +
      "Have the tool keep it in files that git ignores. " +
      "If the tool did not mean the secret, its value is one that is written by accident: replace it by a longer one at random.",
  };
}

function withoutFiles(commit: CommitHash, folder: string): Publication {
  const name = `\`${showName(folder)}\``;
  return {
    ok: false,
    reason:
      `The commit ${commit} has none of the files in ${name}, so nothing was published: the folder has a repository of its own. ` +
      `Have the tool remove the \`.git\` in it and \`git rm --cached\` the folder before it commits, let .gitignore name it, ` +
      "or add it as a submodule that .gitmodules names with an address outside of the workspace.",
  };
}

function withLostSubmodule(commit: CommitHash, { path, commit: named }: Gitlink): Publication {
  const name = `\`${showName(path)}\``;
  return {
    ok: false,
    reason:
      `The commit ${commit} moves the submodule ${name} to ${named}, which the person's repository does not have, so nothing was published: its files would reach no one. ` +
      "Submodules are for reading: have the tool leave it at its commit, or move it to one of those before. " +
      `To use a newer one, fetch it on your machine (\`git -C ${showName(path)} fetch\`), commit the move, and post the goal again.`,
  };
}

function withLostContent(commit: CommitHash, path: string): Publication {
  return {
    ok: false,
    reason:
      `The commit ${commit} has a pointer of LFS in \`${showName(path)}\`, whose content is nowhere, so nothing was published. ` +
      "A result brings the contents that are in `.git/lfs/objects` of the workspace, where git-lfs puts them: " +
      "have the tool add the file itself rather than its pointer, or leave it out.",
  };
}

function notWithin(change: ChangeOutside): Publication {
  const nothing = "so nothing was published.";
  if (change.kind === "manyParents")
    return {
      ok: false,
      reason:
        `The commit ${change.commit} merges more than one commit at once, ${nothing} ` +
        "An agent with `workspace.paths` merges one after the other.",
    };
  const file = `\`${showName(change.file)}\``;
  const beyond = `${file}, which is not in the \`workspace.paths\` of the agent, ${nothing}`;
  return {
    ok: false,
    reason:
      change.kind === "conflict"
        ? `The merge ${change.commit} has a conflict in ${beyond} Let an agent without \`paths\` merge.`
        : `The commit ${change.commit} changes ${beyond} Have the tool leave the file as it is, or add it to the paths in sett.yml.`,
  };
}

function noCommit({ payload }: Artefact): Publication {
  const shown = payload.length > 80 ? `${payload.slice(0, 80)}…` : payload;
  return {
    ok: false,
    reason: `The tool printed a ${codeCommitType} whose payload is not a commit: ${JSON.stringify(shown)}.`,
  };
}
