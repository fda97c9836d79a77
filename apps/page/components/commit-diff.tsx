// What a commit changes since the commit at which its work began: file by file, with the colours of each language.
import { memo, useMemo, useState } from "react";
import { Decoration, Diff, type FileData, Hunk, markEdits, parseDiff, tokenize } from "react-diff-view";
import { keptText } from "../data/kept-texts.ts";
import { useQuery } from "../data/query.ts";
import { segmentsOf } from "../text/visible-text.ts";
import { count } from "../text/words.ts";
import { languageOf, refractor } from "./highlighter.ts";
import { LongText } from "./long-text.tsx";
import { Problem } from "./problem.tsx";
import { Line } from "./text.tsx";

/** A larger file begins folded. */
const maxOpenChanges = 300;
/** The files after these begin folded, too. */
const maxOpenFiles = 12;
const maxColouredChanges = 1_500;
const maxColumns = 2_000;

export function CommitDiff({ artefact }: { artefact: string }) {
  const { data, error, refresh } = useQuery(`diff ${artefact}`, (signal) => keptText(`/v1/artefacts/${artefact}/diff`, signal));
  if (error?.status === 404) return <p className="quiet">{error.message}</p>;
  if (error !== undefined) return <Problem error={error} retry={refresh} />;
  if (data === undefined) return <p className="quiet loading">Loading the diff…</p>;
  return <DiffText text={data} />;
}

export function DiffText({ text }: { text: string }) {
  const { before, files } = useMemo(() => read(text), [text]);
  const [isSplit, setIsSplit] = useState(false);
  const sum = files
    .map(changesOf)
    .reduce((all, one) => ({ added: all.added + one.added, removed: all.removed + one.removed }), none);
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
      {files.map((file, at) => (
        <File
          key={pathOf(file)}
          file={file}
          isSplit={isSplit}
          isOpenFirst={at < maxOpenFiles && sizeOf(file) <= maxOpenChanges}
        />
      ))}
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

const none = { added: 0, removed: 0 };

/** What cannot be seen is written out before the diff is read, so that no line of code looks like another. */
function read(text: string): { before: string; files: FileData[] } {
  const start = /^diff --git /m.exec(text)?.index ?? (/^--- /m.test(text) ? 0 : text.length);
  const visible = segmentsOf(text.slice(start))
    .map(({ text: part, mark }) => (mark === undefined ? part : `‹${mark}›`))
    .join("")
    .replace(/^.{2001,}$/gm, (line) => `${line.slice(0, maxColumns)}… (${line.length - maxColumns} more characters)`);
  const files = visible.trim() === "" ? [] : parseDiff(visible, { nearbySequences: "zip" });
  return { before: text.slice(0, start).trimEnd(), files };
}

type FileProps = { file: FileData; isSplit: boolean; isOpenFirst: boolean };

const File = memo(function File({ file, isSplit, isOpenFirst }: FileProps) {
  const [isOpen, setIsOpen] = useState(isOpenFirst);
  const { added, removed } = changesOf(file);
  const path = pathOf(file);
  return (
    <section className="diff-file" aria-label={path}>
      <h3>
        <button type="button" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          <span aria-hidden="true">{isOpen ? "▾" : "▸"} </span>
          <bdi className="diff-path">{path}</bdi>
          {file.type !== "modify" && <span className="quiet"> {kinds[file.type]}</span>}
          <span className="diff-sum">
            <span className="added">+{added}</span> <span className="removed">−{removed}</span>
          </span>
        </button>
      </h3>
      {isOpen && <Changes file={file} isSplit={isSplit} />}
    </section>
  );
});

const kinds: Record<FileData["type"], string> = { add: "new", delete: "deleted", modify: "", rename: "moved", copy: "copied" };

function Changes({ file, isSplit }: { file: FileData; isSplit: boolean }) {
  const tokens = useMemo(() => tokensOf(file), [file]);
  if (file.isBinary === true) return <p className="quiet">A binary file.</p>;
  if (file.hunks.length === 0) return <p className="quiet">Its content is the same.</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
    <section className="diff-scroll" aria-label={`Changes of ${pathOf(file)}`} tabIndex={0}>
      <Diff viewType={isSplit ? "split" : "unified"} diffType={file.type} hunks={file.hunks} tokens={tokens ?? null}>
        {(hunks) =>
          hunks.flatMap((hunk) => [
            <Decoration key={`head ${hunk.content}`}>
              <span className="hunk-head">{hunk.content}</span>
            </Decoration>,
            <Hunk key={hunk.content} hunk={hunk} />,
          ])
        }
      </Diff>
    </section>
  );
}

/** Its own kind of tree: the children of the root. */
const highlighter = { highlight: (text: string, language: string) => refractor.highlight(text, language).children };

function tokensOf(file: FileData) {
  const size = sizeOf(file);
  if (size === 0 || size > maxColouredChanges) return undefined;
  const language = languageOf(pathOf(file));
  const enhancers = [markEdits(file.hunks, { type: "block" })];
  try {
    return language === undefined
      ? tokenize(file.hunks, { enhancers })
      : tokenize(file.hunks, { highlight: true, refractor: highlighter, language, enhancers });
  } catch {
    // A line that the highlighter does not understand is still text.
    return undefined;
  }
}

function changesOf({ hunks }: FileData): { added: number; removed: number } {
  const changes = hunks.flatMap((hunk) => hunk.changes);
  return {
    added: changes.filter(({ type }) => type === "insert").length,
    removed: changes.filter(({ type }) => type === "delete").length,
  };
}

function sizeOf({ hunks }: FileData): number {
  return hunks.reduce((sum, hunk) => sum + hunk.changes.length, 0);
}

function pathOf({ newPath, oldPath, type }: FileData): string {
  return type === "delete" ? oldPath : newPath;
}
