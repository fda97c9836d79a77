// One file of a diff: what is changed of it in words, and its lines with the colours of its
// language. Of many lines the beginning is first.
import { memo, useMemo, useState } from "react";
import {
  Decoration,
  Diff,
  type FileData,
  Hunk,
  type HunkData,
  markEdits,
  parseDiff,
  tokenize,
} from "react-diff-view";
import { type Beginning, beginningOf, changesOf, rowsOf } from "../text/diff-lines.ts";
import { contentNote, notesOf, shownPath } from "../text/file-notes.ts";
import type { FileDiff } from "../text/git-diff.ts";
import { count } from "../text/words.ts";
import { languageOf, refractor } from "./highlighter.ts";
import { LongText } from "./long-text.tsx";
import { WindowList } from "./window-list.tsx";

/**
 * The highlighter reads an empty line for each one before: so far into a file it takes too long.
 */
const maxColouredLine = 20_000;
/** As high as the style says. */
const rowHeight = 18;

type Props = { file: FileDiff; isSplit: boolean; isOpenFirst: boolean };

export const DiffFile = memo(function DiffFile({ file, isSplit, isOpenFirst }: Props) {
  const [isOpen, setIsOpen] = useState(isOpenFirst);
  const { added, removed } = useMemo(() => changesOf(file.lines), [file]);
  const notes = useMemo(() => notesOf(file).join(", "), [file]);
  const path = shownPath(file.path);
  return (
    <section className="diff-file" aria-label={path}>
      <h3>
        <button type="button" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          <span aria-hidden="true">{isOpen ? "▾" : "▸"} </span>
          <bdi className="diff-path">{path}</bdi>
          {notes !== "" && <bdi className="quiet diff-notes"> {notes}</bdi>}{" "}
          {file.lines.length > 0 && (
            <span className="diff-sum">
              <span className="added">+{added}</span> <span className="removed">−{removed}</span>
            </span>
          )}
        </button>
      </h3>
      {isOpen && <Content file={file} path={path} isSplit={isSplit} />}
    </section>
  );
});

function Content({ file, path, isSplit }: { file: FileDiff; path: string; isSplit: boolean }) {
  const { lines, unread } = file;
  return (
    <>
      {lines.length > 0 && <Lines file={file} path={path} isSplit={isSplit} />}
      {lines.length === 0 && unread.length === 0 && (
        <p className="quiet diff-words">{contentNote(file)}</p>
      )}
      {unread.length > 0 && (
        <LongText text={unread.join("\n")} label={`Changes of ${path}, as git writes them`} />
      )}
    </>
  );
}

function Lines({ file, path, isSplit }: { file: FileDiff; path: string; isSplit: boolean }) {
  const [isWhole, setIsWhole] = useState(false);
  const beginning = useMemo(() => beginningOf(file.lines), [file]);
  const label = `Changes of ${path}`;
  const { added, removed } = changesOf(file.lines);
  const number = count(added + removed, "line");
  const isAll = beginning.isAll && !beginning.isCut;
  return (
    <>
      {!isAll && (
        <div className="long-text-bar">
          <span>
            {isWhole
              ? `All of it, ${number}.`
              : beginning.isAll
                ? "The beginning of long lines."
                : `The beginning of ${number}.`}
          </span>
          <button type="button" className="small" onClick={() => setIsWhole(!isWhole)}>
            {isWhole ? "Show the beginning" : "Show all"}
          </button>
        </div>
      )}
      {isWhole ? (
        <WholeFile lines={file.lines} label={label} />
      ) : (
        <HunkTable file={file} beginning={beginning} label={label} isSplit={isSplit} />
      )}
    </>
  );
}

type TableProps = { file: FileDiff; beginning: Beginning; label: string; isSplit: boolean };

function HunkTable({ file, beginning, label, isSplit }: TableProps) {
  const hunks = useMemo(() => hunksOf(beginning.text), [beginning]);
  const tokens = useMemo(() => tokensOf(hunks, file.path), [hunks, file]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard.
    <section className="diff-scroll" aria-label={label} tabIndex={0}>
      <Diff
        viewType={isSplit ? "split" : "unified"}
        diffType={types[file.kind]}
        hunks={hunks}
        tokens={tokens ?? null}
      >
        {(all) =>
          all.flatMap((hunk) => [
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

const types: Record<FileDiff["kind"], FileData["type"]> = {
  new: "add",
  deleted: "delete",
  changed: "modify",
  renamed: "rename",
  copied: "copy",
};

function hunksOf(lines: string): HunkData[] {
  const [file] = parseDiff(`diff --git a/x b/x\n--- a/x\n+++ b/x\n${lines}`, {
    nearbySequences: "zip",
  });
  return file?.hunks ?? [];
}

/** Its own kind of tree: the children of the root. */
const highlighter = {
  highlight: (text: string, language: string) => refractor.highlight(text, language).children,
};

function tokensOf(hunks: HunkData[], path: string) {
  if (hunks.some(({ oldStart, newStart }) => Math.max(oldStart, newStart) > maxColouredLine))
    return undefined;
  const language = languageOf(path);
  const enhancers = [markEdits(hunks, { type: "block" })];
  try {
    return language === undefined
      ? tokenize(hunks, { enhancers })
      : tokenize(hunks, { highlight: true, refractor: highlighter, language, enhancers });
  } catch {
    // A line that the highlighter does not understand is still text.
    return undefined;
  }
}

const rowKinds: Record<string, string> = { "+": "insert", "-": "delete", "@": "head" };

/**
 * Puts only the rows in view into the document, below each other, and without colours of the
 * language.
 */
function WholeFile({ lines, label }: { lines: readonly string[]; label: string }) {
  const rows = useMemo(() => rowsOf(lines), [lines]);
  return (
    <WindowList
      className="text-rows diff-rows"
      count={rows.length}
      rowHeight={rowHeight}
      label={`${label}: ${count(rows.length, "row")}`}
      row={(index) => {
        const { sign = " ", number, text = "" } = rows[index] ?? {};
        return (
          <li key={index} className={`text-row diff-row-${rowKinds[sign] ?? "same"}`}>
            <span className="diff-row-number">{number}</span>
            {sign === "@" ? "" : `${sign === "-" ? "−" : sign} `}
            <bdi>{text}</bdi>
          </li>
        );
      }}
    />
  );
}
