// The files of a unified diff, for a list that comes before the diff: one long file must not push
// the others out of sight.

/**
 * `name`: as git writes it, in quotation marks where it has unusual characters. `notes`: what else
 * is changed: a mode, a link, a new name.
 */
export type ChangedFile = { name: string; added: number; removed: number; notes: string[] };

const maxFiles = 1_000;
const noteOf =
  /^(?:(new file|deleted file|old|new) mode (\d+)|((?:rename|copy) (?:from|to) .*)|(Binary files .* differ|GIT binary patch))$/;
const modes: Readonly<Record<string, string>> = {
  "100755": "executable",
  "120000": "symbolic link",
  "160000": "submodule",
};

/**
 * The first thousand. In a diff a line of a file begins with a sign or a blank, so that none looks
 * like the header of another file.
 */
export function changedFiles(diff: string): { files: ChangedFile[]; more: number } {
  const files: ChangedFile[] = [];
  let more = 0;
  let current: ChangedFile | undefined;
  let isHeader = false;
  for (const line of diff.split("\n")) {
    const [, names] = /^diff --git (.*)$/.exec(line) ?? [];
    if (names !== undefined) {
      current = { name: nameIn(names), added: 0, removed: 0, notes: [] };
      isHeader = true;
      if (files.length < maxFiles) files.push(current);
      else more += 1;
    } else if (line.startsWith("@@")) isHeader = false;
    else if (current !== undefined && isHeader) {
      current.notes.push(...notesOf(line));
      current.name = /^(?:rename|copy) to (.*)$/.exec(line)?.[1] ?? current.name;
    } else if (current !== undefined && line.startsWith("+")) current.added += 1;
    else if (current !== undefined && line.startsWith("-")) current.removed += 1;
  }
  return { files, more };
}

/**
 * The name in `a/x b/x` or `"a/x" "b/x"`: a name may have blanks, and ` b/` within. Both halves are
 * the same but for a renaming, which git names in lines of its own.
 */
function nameIn(names: string): string {
  const half = names.slice((names.length + 1) / 2);
  return half.startsWith('"') ? `"${half.slice('"b/'.length)}` : half.slice("b/".length);
}

function notesOf(line: string): string[] {
  const [, change, mode = "", move, binary] = noteOf.exec(line) ?? [];
  if (change !== undefined)
    return [`${change} mode ${mode}${modes[mode] === undefined ? "" : `, ${modes[mode]}`}`];
  if (move !== undefined) return [line];
  return binary === undefined ? [] : ["binary"];
}
