// What a commit changes since the commit at which its work began: the commits, and the files one below the other.
import { useMemo, useState } from "react";
import { keptText } from "../data/kept-texts.ts";
import { useQuery } from "../data/query.ts";
import { changesOf } from "../text/diff-lines.ts";
import { type FileDiff, readGitDiff } from "../text/git-diff.ts";
import { count } from "../text/words.ts";
import { DiffFile } from "./diff-file.tsx";
import { LongText } from "./long-text.tsx";
import { Problem } from "./problem.tsx";
import { Line } from "./text.tsx";

/** A larger file begins folded. */
const maxOpenLines = 200;
/** The files after so many lines begin folded, too. */
const maxLinesAtFirst = 400;
/** More of them are shown on demand, as many each time. */
const maxFilesAtOnce = 100;

export function CommitDiff({ artefact }: { artefact: string }) {
  const { data, error, refresh } = useQuery(`diff ${artefact}`, (signal) => keptText(`/v1/artefacts/${artefact}/diff`, signal));
  if (error?.status === 404) return <p className="quiet">{error.message}</p>;
  if (error !== undefined) return <Problem error={error} retry={refresh} />;
  if (data === undefined) return <p className="quiet loading">Loading the diff…</p>;
  return <DiffText text={data} />;
}

function DiffText({ text }: { text: string }) {
  const { before, files, sum, openFirst } = useMemo(() => read(text), [text]);
  const [isSplit, setIsSplit] = useState(false);
  const [shown, setShown] = useState(maxFilesAtOnce);
  return (
    <div className="diff-view">
      {before !== "" && <Commits text={before} isOpen={files.length === 0} />}
      {files.length > 0 && (
        <div className="long-text-bar">
          <span>
            {count(files.length, "file")}, <span className="added">+{sum.added}</span>{" "}
            <span className="removed">−{sum.removed}</span>
          </span>
          <button type="button" className="small" aria-pressed={isSplit} onClick={() => setIsSplit(!isSplit)}>
            Side by side
          </button>
        </div>
      )}
      {files.slice(0, shown).map((file, at) => (
        // Of a file that becomes a link git writes two parts, with one name.
        <DiffFile key={at} file={file} isSplit={isSplit} isOpenFirst={openFirst.has(file)} />
      ))}
      {files.length > shown && (
        <div className="long-text-bar">
          <span>The first {count(shown, "file")}.</span>
          <button type="button" className="small" onClick={() => setShown(shown + maxFilesAtOnce)}>
            Show more
          </button>
        </div>
      )}
      {files.length === 0 && before === "" && <p className="quiet">No file is changed.</p>}
    </div>
  );
}

/** What `git log` says of the commits; its first line says how many there are. */
function Commits({ text, isOpen }: { text: string; isOpen: boolean }) {
  const [first = ""] = text.split("\n");
  return (
    <details open={isOpen}>
      <summary>
        <Line text={first} max={120} />
      </summary>
      <LongText text={text.slice(first.length).trim()} label="Commits" />
    </details>
  );
}

function read(text: string) {
  const { before, files } = readGitDiff(text);
  const openFirst = new Set<FileDiff>();
  const sum = { added: 0, removed: 0 };
  let lines = 0;
  for (const file of files) {
    const { added, removed } = changesOf(file.lines);
    sum.added += added;
    sum.removed += removed;
    if (file.lines.length > maxOpenLines) continue;
    lines += file.lines.length + 1;
    if (lines <= maxLinesAtFirst) openFirst.add(file);
  }
  return { before, files, sum, openFirst };
}
