// Shows what a commit changes since the commit of its goal, or since an earlier version: the
// commits, and the files one below the other.
import { useMemo, useRef, useState } from "react";
import { getText } from "../data/api.ts";
import { keptText } from "../data/kept-texts.ts";
import { useQuery } from "../data/query.ts";
import { readDiffHead } from "../text/diff-head.ts";
import { changesOf } from "../text/diff-lines.ts";
import { type FileDiff, readGitDiff } from "../text/git-diff.ts";
import { count } from "../text/words.ts";
import { DiffFile } from "./diff-file.tsx";
import { FileList } from "./file-list.tsx";
import { LongText } from "./long-text.tsx";
import { Problem } from "./problem.tsx";
import { Line, PlainText } from "./text.tsx";

/** A larger file begins folded. */
const maxOpenLines = 200;
/** The files after so many lines begin folded, too. */
const maxLinesAtFirst = 400;
/** More of them are shown on demand, as many each time. */
const maxFilesAtOnce = 100;

type Since = "goal" | "version" | "verdict";
type Props = { artefact: string; version: number };

/**
 * All of it comes first: what a person approves is what a merge brings, and not the last
 * correction.
 */
export function CommitDiff({ artefact, version }: Props) {
  const [since, setSince] = useState<Since>("goal");
  const choices: [Since, string][] = [
    ["goal", "All changes"],
    ["version", `Since version ${version - 1}`],
    ["verdict", "Since your last verdict"],
  ];
  return (
    <>
      {version > 1 && (
        <fieldset className="segmented" aria-label="Show the changes">
          {choices.map(([choice, text]) => (
            <button
              key={choice}
              type="button"
              aria-pressed={since === choice}
              onClick={() => setSince(choice)}
            >
              {text}
            </button>
          ))}
        </fieldset>
      )}
      <Diff key={since} artefact={artefact} since={since} />
    </>
  );
}

function Diff({ artefact, since }: { artefact: string; since: Since }) {
  const path = `/v1/artefacts/${artefact}/diff?since=${since}`;
  // Another verdict may come, and another person may use the page.
  const read = (signal: AbortSignal) =>
    since === "verdict" ? getText(path, signal) : keptText(path, signal);
  const { data, error, refresh } = useQuery(`diff ${artefact} ${since}`, read);
  if (error?.status === 404) return <p className="quiet">{error.message}</p>;
  if (error !== undefined) return <Problem error={error} retry={refresh} />;
  if (data === undefined) return <p className="quiet loading">Loading the diff…</p>;
  return <DiffText text={data} />;
}

function DiffText({ text }: { text: string }) {
  const { title, warnings, commits, files, sum, openFirst } = useMemo(() => read(text), [text]);
  const [isSplit, setIsSplit] = useState(false);
  const [shown, setShown] = useState(maxFilesAtOnce);
  const view = useRef<HTMLDivElement>(null);
  const open = (at: number) => {
    setShown((before) => Math.max(before, at + 1));
    // The part is in the document only after that.
    requestAnimationFrame(() => {
      const part = view.current?.querySelectorAll(".diff-file")[at];
      const button = part?.querySelector<HTMLElement>("h3 button");
      if (button?.getAttribute("aria-expanded") === "false") button.click();
      button?.focus({ preventScroll: true });
      part?.scrollIntoView({ block: "start" });
    });
  };
  return (
    <div className="diff-view" ref={view}>
      {warnings.map((warning) => (
        <p key={warning} className="diff-warning">
          <span aria-hidden="true">! </span>
          <bdi>
            <PlainText text={warning} />
          </bdi>
        </p>
      ))}
      {title !== "" && <Commits title={title} text={commits} isOpen={files.length === 0} />}
      {files.length > 0 && (
        <div className="long-text-bar">
          <span>
            {count(files.length, "file")}, <span className="added">+{sum.added}</span>{" "}
            <span className="removed">−{sum.removed}</span>
          </span>
          <button
            type="button"
            className="small"
            aria-pressed={isSplit}
            onClick={() => setIsSplit(!isSplit)}
          >
            Side by side
          </button>
        </div>
      )}
      {files.length > 1 && <FileList files={files} open={open} />}
      {files.slice(0, shown).map((file, at) => (
        // Git writes two parts of a file that becomes a link, with one name.
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
      {files.length === 0 && title === "" && <p className="quiet">No file is changed.</p>}
    </div>
  );
}

/** Shows what `git log` says of the commits. `title`: since when, and how many there are. */
function Commits({ title, text, isOpen }: { title: string; text: string; isOpen: boolean }) {
  if (text === "")
    return (
      <p>
        <Line text={title} max={120} />
      </p>
    );
  return (
    <details open={isOpen}>
      <summary>
        <Line text={title} max={120} />
      </summary>
      <LongText text={text} label="Commits" />
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
  return { ...readDiffHead(before), files, sum, openFirst };
}
