// States a goal: its text, and the commit at which its work starts. What is written stays until it
// is stated.
import { type FormEvent, useMemo, useRef, useState } from "react";
import { useAction, useRight } from "../../components/action.tsx";
import { MustSign, useMustSign } from "../../components/must-sign.tsx";
import { Problem } from "../../components/problem.tsx";
import { newKey, post } from "../../data/api.ts";
import { useInstance } from "../../data/instance.ts";
import { go } from "../../data/place.ts";
import { goalHref } from "../../routes.ts";

export function NewGoalView() {
  const { data } = useInstance();
  const mustSign = useMustSign();
  const may = useRight("forage") && !mustSign;
  const [{ text, commit }, setDraft] = useDraft(data?.instance);
  // A repeat after a lost answer is the same goal.
  const key = useRef(newKey());
  const { isBusy, error, run, clear } = useAction(async () => {
    const body = { text, ...(commit.trim() !== "" && { commit: commit.trim() }) };
    const { id } = await post<{ id: string }>("/v1/goals", body, { key: key.current });
    setDraft(noDraft);
    go(goalHref(id));
  });
  const field = useRef<HTMLTextAreaElement>(null);
  const [isRefused, setIsRefused] = useState(false);
  const isBlank = text.trim() === "";
  const send = (event: FormEvent) => {
    event.preventDefault();
    setIsRefused(isBlank);
    if (isBlank) {
      clear();
      field.current?.focus();
    } else if (may && !isBusy) void run();
  };
  // The browser says itself what it refuses; what was said of an attempt before is over.
  const refusedByBrowser = () => {
    setIsRefused(false);
    clear();
  };
  const changed = (change: Partial<Draft>) => {
    key.current = newKey();
    setDraft({ text, commit, ...change });
  };
  const head = data?.repository?.head;
  return (
    <form className="new-goal" onSubmit={send} onInvalidCapture={refusedByBrowser}>
      <h1>New goal</h1>
      <label>
        What is to be achieved
        <textarea
          ref={field}
          rows={8}
          value={text}
          required
          onChange={({ target }) => changed({ text: target.value })}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
            event.preventDefault();
            event.currentTarget.form?.requestSubmit();
          }}
        />
      </label>
      <p className="quiet">The agents read this text as it is. Its first line is the summary.</p>
      <label>
        Commit
        <input
          value={commit}
          placeholder={head == null ? "HEAD" : `HEAD: ${head.slice(0, 12)}`}
          spellCheck={false}
          autoComplete="off"
          onChange={({ target }) => changed({ commit: target.value })}
        />
      </label>
      <p className="quiet">
        Work starts from it: a branch, a tag, a hash, or such as <code>HEAD~1</code>. Empty: HEAD of
        the instance's repository. Agents see only what is committed.
      </p>
      {mustSign && <MustSign commands={['sett forage --goal "…" --sign']} />}
      {!mustSign && (
        <div className="send-row">
          <button type="submit" className="primary" disabled={!may || isBusy}>
            State the goal
          </button>
          <kbd>Ctrl Enter</kbd>
          {!may && data !== undefined && (
            <span className="quiet">Your token lacks the right forage.</span>
          )}
        </div>
      )}
      {isRefused && isBlank && (
        <p className="problem" role="alert">
          The goal has only blanks. Write what is to be achieved.
        </p>
      )}
      {error !== undefined && <Problem error={error} />}
    </form>
  );
}

type Draft = { text: string; commit: string };
const noDraft: Draft = { text: "", commit: "" };

/** A draft outlives the tab: each instance has one in this browser. */
function useDraft(instance: string | undefined): [Draft, (draft: Draft) => void] {
  const [draft, setDraft] = useState<Draft>();
  const key = `sett.draft.${instance ?? ""}`;
  const kept = useMemo(() => (instance === undefined ? noDraft : draftAt(key)), [instance, key]);
  return [
    draft ?? kept,
    (next) => {
      setDraft(next);
      if (next.text === "" && next.commit === "") localStorage.removeItem(key);
      else localStorage.setItem(key, JSON.stringify(next));
    },
  ];
}

function draftAt(key: string): Draft {
  try {
    const { text, commit }: Partial<Draft> = JSON.parse(localStorage.getItem(key) ?? "{}");
    return { text: String(text ?? ""), commit: String(commit ?? "") };
  } catch {
    return noDraft;
  }
}
