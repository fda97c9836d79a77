// All files that a change touches, each of which leads to its part of the diff.
import { useMemo } from "react";
import { changesOf } from "../text/diff-lines.ts";
import { notesOf, shownPath } from "../text/file-notes.ts";
import type { FileDiff } from "../text/git-diff.ts";

/** More of them are listed where their parts are. */
const maxListed = 500;

export function FileList({
  files,
  open,
}: {
  files: readonly FileDiff[];
  open: (at: number) => void;
}) {
  const rows = useMemo(
    () =>
      files.slice(0, maxListed).map((file) => ({
        path: shownPath(file.path),
        notes: notesOf(file).join(", "),
        ...changesOf(file.lines),
      })),
    [files],
  );
  return (
    <nav className="file-list" aria-label="Changed files">
      <ul>
        {rows.map(({ path, notes, added, removed }, at) => (
          <li key={at}>
            <button type="button" onClick={() => open(at)}>
              <bdi className="diff-path">{path}</bdi>
              {notes !== "" && <bdi className="quiet"> {notes}</bdi>}
              <span className="diff-sum">
                <span className="added">+{added}</span> <span className="removed">−{removed}</span>
              </span>
            </button>
          </li>
        ))}
        {files.length > maxListed && (
          <li className="quiet">and {(files.length - maxListed).toLocaleString("en")} more</li>
        )}
      </ul>
    </nav>
  );
}
