// The lines before the files of a diff: which commits they are since, warnings, and the commits as
// `git log` writes them. Pure.

/** `title`: one line. `warnings`: a sentence each. `commits`: empty where only a part is shown. */
export type DiffHead = { title: string; warnings: string[]; commits: string };

/** The lines before the first empty one are Sett's own. What agents have written comes after it. */
export function readDiffHead(before: string): DiffHead {
  const end = before.indexOf("\n\n");
  const [title = "", ...rest] = (end === -1 ? before : before.slice(0, end)).split("\n");
  const warnings = rest.filter((line) => line.startsWith("! ")).map((line) => line.slice(2));
  return { title, warnings, commits: end === -1 ? "" : before.slice(end).trim() };
}
