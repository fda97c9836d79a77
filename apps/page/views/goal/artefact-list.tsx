// The artefacts of a goal as a list, for keyboards, for readers of the screen, and for narrow
// windows.
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { clockTime } from "../../../../lib/words/age.ts";
import { shortId } from "../../../../lib/words/short-id.ts";
import { Line } from "../../components/text.tsx";
import { Elapsed } from "../../components/time.tsx";
import { type WindowHandle, WindowList } from "../../components/window-list.tsx";
import type { ArtefactNode } from "../../data/goal-graph.ts";
import { lookOf } from "../../graph/look.ts";
import { makerOf } from "../../graph/matching.ts";
import { isOpen } from "../../graph/pending.ts";

const rowHeight = 46;

type Props = {
  nodes: readonly ArtefactNode[];
  selected: string | undefined;
  /** An artefact to scroll to. */
  sought: string | undefined;
  select: (artefact: string) => void;
};

export function ArtefactList({ nodes, selected, sought, select }: Props) {
  const list = useRef<WindowHandle>(null);
  useEffect(() => {
    const at = nodes.findIndex(({ id }) => id === sought);
    if (at >= 0) list.current?.scrollTo(at);
  }, [sought]);
  const [isAtEnd, setIsAtEnd] = useState(true);
  const count = nodes.length;
  useEffect(() => {
    if (isAtEnd && count > 0) list.current?.scrollToEnd();
  }, [count, isAtEnd]);
  const onKeyDown = (event: KeyboardEvent) => {
    const by =
      event.key === "j" || event.key === "ArrowDown"
        ? 1
        : event.key === "k" || event.key === "ArrowUp"
          ? -1
          : 0;
    if (by === 0) return;
    event.preventDefault();
    const rows = [...event.currentTarget.querySelectorAll<HTMLElement>(".artefact-row")];
    const at = rows.indexOf(document.activeElement as HTMLElement);
    const next = rows[at === -1 ? (by === 1 ? 0 : rows.length - 1) : at + by];
    next?.focus();
    next?.scrollIntoView({ block: "nearest" });
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the rows are buttons; this only moves between them.
    <div className="artefact-list" onKeyDown={onKeyDown}>
      <WindowList
        handle={list}
        count={count}
        rowHeight={rowHeight}
        label="Artefacts, oldest first"
        onEnd={setIsAtEnd}
        row={(index) => {
          const node = nodes[index];
          return node === undefined ? null : (
            <Row key={node.id} node={node} isSelected={node.id === selected} select={select} />
          );
        }}
      />
    </div>
  );
}

function Row({
  node,
  isSelected,
  select,
}: {
  node: ArtefactNode;
  isSelected: boolean;
  select: (artefact: string) => void;
}) {
  const look = lookOf(node);
  const running = node.claims
    .filter(isOpen)
    .flatMap(({ grants }) => grants)
    .filter((grant) => grant.state === "running");
  const [first] = running;
  return (
    <li>
      <button
        type="button"
        className={`artefact-row tone-${look.tone}`}
        aria-current={isSelected}
        onClick={() => select(node.id)}
      >
        <span className="row-symbol" title={look.word}>
          <span aria-hidden="true">{look.symbol}</span>
          <span className="hidden">{look.word}</span>
        </span>
        <span className="row-type">
          <Line text={node.type} max={60} />
          {node.version > 1 && <span className="version">v{node.version}</span>}
        </span>
        <span className="row-summary">
          <Line
            text={node.overwritten ? "Overwritten by hand" : (node.metadata.summary ?? "")}
            max={200}
          />
        </span>
        <span className="row-work">
          {first !== undefined && (
            <>
              <span aria-hidden="true">▶ </span>
              {running.length === 1 ? first.agent : `${running.length} agents`}{" "}
              <Elapsed since={first.started_at} />
            </>
          )}
        </span>
        <span className="row-by">{makerOf(node)}</span>
        <span className="row-when">
          <code>{shortId(node.id)}</code> {clockTime(node.created_at)}
        </span>
      </button>
    </li>
  );
}
