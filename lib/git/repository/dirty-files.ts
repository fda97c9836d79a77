// Reads what `git status` says of files that are not committed, and why committing or stashing them
// would not help.
import { fstatSync, lstatSync, type Stats } from "node:fs";
import { stat } from "node:fs/promises";
import { pathOfBytes } from "../../folders/folder-entries.ts";
import { showName } from "../run/file-name.ts";
import { namingWaits, type Waiting } from "../run/person-programs.ts";
import type { GitRun } from "../run/run-git.ts";

/**
 * `state` is git's two letters: index, then folder; `??` for a file that git does not know.
 *
 * `kind`: what is no change of content. Line ends that differ from the commit's: in the folder
 * alone, or in the commit as well, where an attribute wants others. A submodule that has changes,
 * or another commit. A repository of its own that is no submodule. A merge that is not finished.
 */
export interface DirtyFile {
  readonly state: string;
  /** As `showName` gives it. */
  readonly path: string;
  readonly kind?: "line-ends" | "committed-line-ends" | "submodule" | "repository" | "merge";
}

const dirtyArguments = [
  "status",
  "--porcelain=v1",
  "-z",
  "--untracked-files=normal",
  "--no-renames",
];

type Run = (run: GitRun) => Promise<string>;

/** Names are in latin1 here, one character for each byte, until they are returned. */
const encoding = "latin1" as const;

/**
 * `onSlow` is given what git waits for, if it takes more than 3 s. A new file into which the output
 * of this process goes, as with `> log.txt`, is no change of the person's.
 */
export async function dirtyFiles(run: Run, at: Waiting): Promise<DirtyFile[]> {
  const { toplevel } = at.place;
  const listed = readDirtyFiles(
    await namingWaits("status", at, () => run({ args: dirtyArguments, encoding })),
  );
  const dirty = withoutOwnOutput(listed, toplevel);
  const changed = dirty.some(({ state }) => state === changedInFolder)
    ? await changedContent(run)
    : undefined;
  return await Promise.all(
    dirty.map(async (file) => {
      const kind =
        kindOf(file, changed) ?? ((await isRepository(file, toplevel)) ? "repository" : undefined);
      const shown = { ...file, path: showName(file.path) };
      return kind === undefined ? shown : { ...shown, kind };
    }),
  );
}

function withoutOwnOutput(listed: DirtyFile[], toplevel: string): DirtyFile[] {
  const own = [1, 2].flatMap((descriptor) => identityOf(() => fstatSync(descriptor)) ?? []);
  if (own.length === 0) return listed;
  return listed.filter(({ state, path }) => {
    if (state !== "??") return true;
    const identity = identityOf(() => lstatSync(pathOfBytes(toplevel, path)));
    return identity === undefined || !own.includes(identity);
  });
}

/** Undefined for what is no file, and where nothing is known of it. */
function identityOf(read: () => Stats): string | undefined {
  try {
    const stats = read();
    return stats.isFile() ? `${stats.dev} ${stats.ino}` : undefined;
  } catch {
    return undefined;
  }
}

function readDirtyFiles(output: string): DirtyFile[] {
  const entries = output.split("\0").slice(0, -1);
  return entries.map((entry) => ({ state: entry.slice(0, 2), path: entry.slice(3) }));
}

const changedInFolder = " M";

/** Both sides have changed it, or one has removed what the other has changed. */
const ofMerge = new Set(["DD", "AU", "UD", "UA", "DU", "AA", "UU"]);

type Changed = {
  /** Their own content differs in more than the line ends. */
  content: ReadonlySet<string>;
  submodules: ReadonlySet<string>;
  /**
   * They could be run before and cannot now, or the other way round; a file that has become a link.
   */
  modes: ReadonlySet<string>;
  committedLineEnds: ReadonlySet<string>;
};

function kindOf({ state, path }: DirtyFile, changed: Changed | undefined): DirtyFile["kind"] {
  if (ofMerge.has(state)) return "merge";
  if (state !== changedInFolder || changed === undefined) return undefined;
  if (changed.submodules.has(path)) return "submodule";
  if (changed.content.has(path) || changed.modes.has(path)) return undefined;
  return changed.committedLineEnds.has(path) ? "committed-line-ends" : "line-ends";
}

async function isRepository({ state, path }: DirtyFile, toplevel: string): Promise<boolean> {
  if (state !== "??" || !path.endsWith("/")) return false;
  return await stat(pathOfBytes(toplevel, `${path}.git`)).then(
    () => true,
    () => false,
  );
}

const gitlink = "160000";

/** git says that a file has changed as soon as its size has; only its diff looks at the content. */
async function changedContent(run: Run): Promise<Changed> {
  const raw = fieldsOf(await run({ args: ["diff", "--raw", "-z", "--no-renames"], encoding }));
  const counted = fieldsOf(
    await run({
      args: ["diff", "--numstat", "-z", "--no-renames", "--ignore-cr-at-eol"],
      encoding,
    }),
  );
  const ends = fieldsOf(await run({ args: ["ls-files", "-z", "--eol", "--modified"], encoding }));
  const submodules = new Set<string>();
  const modes = new Set<string>();
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [was = "", is = ""] = (raw[at] ?? "").slice(1).split(" ");
    if (was === gitlink || is === gitlink) submodules.add(raw[at + 1] ?? "");
    else if (was !== is) modes.add(raw[at + 1] ?? "");
  }
  const content = new Set(counted.map((entry) => entry.split("\t").slice(2).join("\t")));
  const committed = ends.filter((entry) => /^i\/(?:crlf|mixed) /.test(entry));
  return {
    content,
    submodules,
    modes,
    committedLineEnds: new Set(committed.map((entry) => entry.slice(entry.indexOf("\t") + 1))),
  };
}

function fieldsOf(output: string): string[] {
  return output.split("\0").slice(0, -1);
}
