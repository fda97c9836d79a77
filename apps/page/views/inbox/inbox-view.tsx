// Questions and approvals of all goals: a list, and beside it the one that is open, to be answered
// or judged. Keyboard first.
import { useEffect, useRef, useState } from "react";
import { shortId } from "../../../../lib/words/short-id.ts";
import { Problem } from "../../components/problem.tsx";
import { Line } from "../../components/text.tsx";
import { Elapsed } from "../../components/time.tsx";
import { getJson } from "../../data/api.ts";
import type { Inquiry, SettEvent } from "../../data/contract.ts";
import { useInstance } from "../../data/instance.ts";
import { go, usePlace } from "../../data/place.ts";
import { useQuery } from "../../data/query.ts";
import { makerOf } from "../../graph/matching.ts";
import { hrefOf } from "../../routes.ts";
import { ApprovalPane } from "./approval-pane.tsx";
import { KeysHelp } from "./keys-help.tsx";
import { QuestionPane } from "./question-pane.tsx";
import { useKeys } from "./use-keys.ts";

/** So many pages at most: a person looks at none of the later ones before these are done. */
const maxPages = 10;

async function readAll(signal: AbortSignal): Promise<{ items: Inquiry[] }> {
  const items: Inquiry[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < maxPages; pages++) {
    const page = await getJson<{ items: Inquiry[]; next: string | null }>(
      "/v1/inquiries",
      { cursor },
      signal,
    );
    items.push(...page.items);
    if (page.next === null) break;
    cursor = page.next;
  }
  return { items };
}

export function InboxView() {
  const { query } = usePlace();
  const instance = useInstance();
  const { data, error, refresh } = useQuery("inquiries", readAll, {
    changedBy: changesInbox,
    pauseMs: 250,
  });
  const items = data?.items ?? [];
  const current =
    items.find((one) => keyOf(one) === query.i) ?? items.find(({ id }) => id === query.i);
  const lastOpen = useLastOpen(current, query.i);
  const shown = current ?? lastOpen.inquiry;
  const list = useRef<HTMLUListElement>(null);
  const open = (inquiry: Inquiry | undefined) =>
    go(hrefOf("/inbox", { i: inquiry === undefined ? undefined : keyOf(inquiry) }), {
      replace: true,
    });
  const move = (by: 1 | -1) => {
    const at = current === undefined ? -1 : items.indexOf(current);
    const next = items[Math.max(0, Math.min(items.length - 1, at + by))];
    if (next === undefined) return;
    open(next);
    list.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(keyOf(next))}"]`)?.focus();
  };
  useKeys({ j: () => move(1), k: () => move(-1), Escape: () => open(undefined) });
  useFocusAfter(shown === undefined ? undefined : keyOf(shown), list);
  useGoneNotice(query.i, data !== undefined && shown === undefined);

  if (error !== undefined && data === undefined) return <Problem error={error} retry={refresh} />;
  // Before the reader's rights are known, a key would do nothing, and a button would refuse.
  if (data === undefined || instance.data === undefined)
    return instance.error === undefined ? (
      <p className="quiet loading">Loading…</p>
    ) : (
      <Problem error={instance.error} retry={instance.refresh} />
    );
  const isGone = query.i !== undefined && shown === undefined;
  const done = (isSent: boolean) => {
    if (isSent) lastOpen.letGo();
    refresh();
  };
  return (
    <>
      <header className="view-head">
        <h1>Inbox</h1>
        <span className="quiet">
          {items.length === 0 ? "" : `${items.length} waiting for a person`}
        </span>
        <KeysHelp />
      </header>
      <div className="inbox" data-open={shown !== undefined}>
        <section className="inbox-list" aria-label="Questions and approvals">
          {items.length === 0 && (
            <div className="empty">
              <p>Nothing waits for a person.</p>
            </div>
          )}
          <ul ref={list}>
            {items.map((inquiry) => (
              <InquiryRow
                key={keyOf(inquiry)}
                inquiry={inquiry}
                isCurrent={inquiry === current}
                open={open}
              />
            ))}
          </ul>
        </section>
        <section className="inbox-pane" aria-label="The one that is open">
          {isGone && (
            <p className="notice" role="status">
              <span aria-hidden="true">✓ </span>
              {goneSentence(query.i ?? "", lastOpen.sent)}
            </p>
          )}
          {shown === undefined && !isGone && items.length > 0 && (
            <p className="quiet">Choose one, or press J for the first.</p>
          )}
          {shown !== undefined && current === undefined && (
            <p className="notice" role="status">
              {shortId(shown.id)} waits no longer. What you have written stays here until you close
              it.
            </p>
          )}
          {shown?.kind === "question" && (
            <QuestionPane
              key={keyOf(shown)}
              inquiry={shown}
              done={done}
              close={() => open(undefined)}
            />
          )}
          {shown?.kind === "approval" && (
            <ApprovalPane
              key={keyOf(shown)}
              inquiry={shown}
              done={done}
              close={() => open(undefined)}
            />
          )}
        </section>
      </div>
    </>
  );
}

/** They differ by sign and word; none has the green of what is done. */
const kinds = {
  question: { symbol: "?", word: "question" },
  budget: { symbol: "$", word: "budget" },
  approval: { symbol: "◇", word: "approval" },
} as const;

type RowProps = { inquiry: Inquiry; isCurrent: boolean; open: (inquiry: Inquiry) => void };

function InquiryRow({ inquiry, isCurrent, open }: RowProps) {
  const isQuestion = inquiry.kind === "question";
  const kind = kinds[isQuestion && inquiry.budget !== undefined ? "budget" : inquiry.kind];
  const subject = isQuestion ? inquiry.question : inquiry.artefact;
  const text = isQuestion ? inquiry.question.payload : (inquiry.artefact.metadata.summary ?? "");
  return (
    <li>
      <button
        type="button"
        className="inquiry-row"
        aria-current={isCurrent}
        data-key={keyOf(inquiry)}
        onClick={() => open(inquiry)}
      >
        <span className="state tone-question">
          <span aria-hidden="true" className="state-symbol">
            {kind.symbol}
          </span>
          {kind.word}
        </span>
        <span className="inquiry-what">
          <Line text={text === "" ? subject.type : text} max={160} />
        </span>
        <span className="inquiry-meta">
          {isQuestion
            ? `from ${makerOf(subject)}`
            : `${subject.type} v${subject.version} for ${inquiry.for}`}
          {" · goal "}
          <code>{shortId(inquiry.goal_id)}</code> · <Elapsed since={inquiry.since} />
        </span>
      </button>
    </li>
  );
}

/** `sent`: what this reader has answered or judged last. */
function goneSentence(key: string, sent: Inquiry | undefined): string {
  const id = shortId(key);
  if (sent === undefined || (keyOf(sent) !== key && sent.id !== key))
    return `${id} waits no longer: it was answered or judged, or its goal has ended.`;
  return sent.kind === "question"
    ? `Your answer to ${id} is on record.`
    : `Your verdict on ${id} is on record.`;
}

function keyOf(inquiry: Inquiry): string {
  return inquiry.kind === "question" ? inquiry.id : `${inquiry.id} ${inquiry.for}`;
}

/**
 * The inquiry that was open when it went: another person may have been faster, which the answer to
 * this reader's own says, and a text must not be lost. `letGo`: this reader has answered it.
 */
function useLastOpen(current: Inquiry | undefined, key: string | undefined) {
  const [last, setLast] = useState<Inquiry>();
  const [sent, setSent] = useState<Inquiry>();
  useEffect(() => {
    if (current !== undefined) setLast(current);
  }, [current]);
  const isOpen =
    last !== undefined && key !== undefined && (keyOf(last) === key || last.id === key);
  const isSent = last !== undefined && sent !== undefined && keyOf(last) === keyOf(sent);
  return { inquiry: isOpen && !isSent ? last : undefined, sent, letGo: () => setSent(last) };
}

/**
 * The keyboard was in the one that was open, where that took all the room, and goes on at its
 * entry.
 */
function useFocusAfter(key: string | undefined, list: { current: HTMLElement | null }): void {
  const before = useRef(key);
  useEffect(() => {
    const closed = before.current;
    before.current = key;
    if (key !== undefined || closed === undefined || document.activeElement !== document.body)
      return;
    list.current?.querySelector<HTMLElement>(`[data-key="${CSS.escape(closed)}"]`)?.focus();
  }, [key, list]);
}

/**
 * What was open and is gone stays named until the reader chooses another; then its name leaves the
 * address.
 */
function useGoneNotice(id: string | undefined, isGone: boolean): void {
  useEffect(() => {
    if (id === undefined || !isGone) return;
    const timer = setTimeout(() => go(hrefOf("/inbox"), { replace: true }), 8_000);
    return () => clearTimeout(timer);
  }, [id, isGone]);
}

const changing = new Set<SettEvent["type"]>([
  "question_asked",
  "question_closed",
  "grant_waiting",
  "grant_done",
  "grant_cancelled",
  "claim_completed",
  "claim_terminated",
  "goal_ended",
]);

function changesInbox({ type, data }: SettEvent): boolean {
  return changing.has(type) || (type === "artefact_created" && data?.structural_type === "Answer");
}
