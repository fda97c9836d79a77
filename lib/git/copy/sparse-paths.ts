// Which files of a commit a working copy has, where its agent works in a part of the repository:
// `workspace.paths`, as git reads them (`info/sparse-checkout`) and as Sett does without a
// checkout. Names of files are in latin1 here, one character for each byte, as git lists them.
import {
  anyFolders,
  isPathMatch,
  type PathPattern,
  pathPatternOf,
  wildcard,
  withoutSurplus,
} from "../../core/match-path.ts";

export class SparsePaths {
  /** `paths`: as `WorkspacePath` has them, in the order of sett.yml. */
  readonly paths: readonly string[];
  /** All are folders, so that git need not match each file with each pattern. */
  readonly isCone: boolean;
  /** The text of git's file `info/sparse-checkout`. */
  readonly text: string;
  readonly #patterns: readonly PathPattern[];
  /** The files directly in these come with the folders below them. */
  readonly #above: ReadonlySet<string>;

  constructor(paths: readonly string[]) {
    this.paths = paths;
    const all = paths.map(withoutSurplus);
    const folders = all.filter(isFolder).map((path) => path.slice(0, -1));
    const others = all.filter((path) => !isFolder(path));
    this.isCone = others.length === 0;
    this.text = [...coneLines(folders), ...others.flatMap(linesOf)]
      .map((line) => `${line}\n`)
      .join("");
    this.#patterns = all.map((path) => pathPatternOf(bytesIn(path)));
    this.#above = new Set(folders.flatMap((folder) => foldersAbove(bytesIn(folder))));
  }

  /** Whether two agents have the same part, so that they can begin with the same checkout. */
  get key(): string {
    return JSON.stringify([...new Set(this.paths)].toSorted());
  }

  /** The agent may change this file. */
  names(file: string): boolean {
    const parts = file.split("/");
    return this.#patterns.some((pattern) => isPathMatch(pattern, parts));
  }

  /** The checkout has this file. */
  shows(file: string): boolean {
    return this.#above.has(file.slice(0, Math.max(0, file.lastIndexOf("/")))) || this.names(file);
  }
}

function isFolder(path: string): boolean {
  return path.endsWith("/") && !wildcard.test(path);
}

/** The folders that a folder is in, with "" for the top. */
function foldersAbove(folder: string): string[] {
  const parts = folder.split("/");
  return parts.map((_, index) => parts.slice(0, index).join("/"));
}

/** As `git sparse-checkout set --cone` writes them. */
function coneLines(folders: readonly string[]): string[] {
  if (folders.length === 0) return [];
  const all = new Set(folders);
  const whole = [...all].filter((folder) => !foldersAbove(folder).some((above) => all.has(above)));
  const above = new Set(whole.flatMap(foldersAbove));
  above.delete("");
  return [
    ...["/*", "!/*/"],
    ...[...above].toSorted().flatMap((each) => [`/${escaped(each)}/`, `!/${escaped(each)}/*/`]),
    ...whole.toSorted().map((each) => `/${escaped(each)}/`),
  ];
}

/**
 * Without a wildcard it counts from the top, which git takes from a `/` before it. What is inside
 * of a folder has a line of its own, because the lines above may leave out the folders in it.
 */
function linesOf(path: string): string[] {
  const name = escaped(path.replace(/\/$/, ""));
  if (!wildcard.test(path)) return [withBlanks(`/${name}`), `/${name}/**`];
  const from = name.includes("/") ? name : `${anyFolders}/${name}`;
  const inside = from.endsWith(`/${anyFolders}`) ? `${from}/*/**` : `${from}/**`;
  const line = path.endsWith("/") ? `${name}/` : withBlanks(name);
  return [line, inside].map((each) => each.replace(/^#/, "\\#"));
}

/** Git would leave out blanks at the end of a line. */
function withBlanks(line: string): string {
  return line.replace(/ +$/, (blanks) => blanks.replaceAll(" ", "\\ "));
}

/** Git would take `[` for the beginning of a set of characters. */
function escaped(path: string): string {
  return path.replaceAll("[", "\\[");
}

function bytesIn(text: string): string {
  return Buffer.from(text, "utf8").toString("latin1");
}
