// States a goal: its text, and the commit at which its work starts.
import { type FormEvent, useRef, useState } from "react";
import { useAction, useRight } from "../../components/action.tsx";
import { Problem } from "../../components/problem.tsx";
import { newKey, post } from "../../data/api.ts";
import { useInstance } from "../../data/instance.ts";
import { go } from "../../data/place.ts";
import { goalHref } from "../../routes.ts";

export function NewGoalView() {
  const { data } = useInstance();
  const may = useRight("forage");
  const [text, setText] = useState("");
  const [commit, setCommit] = useState("");
  // A repeat after a lost answer is the same goal.
  const key = useRef(newKey());
  const { isBusy, error, run, clear } = useAction(async () => {
    const body = { text, ...(commit.trim() !== "" && { commit: commit.trim() }) };
    const { id } = await post<{ id: string }>("/v1/goals", body, { key: key.current });
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
  const changed = (change: () => void) => {
    key.current = newKey();
    change();
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
          onChange={({ target }) => changed(() => setText(target.value))}
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
          pattern="[0-9a-fA-F]{40}|[0-9a-fA-F]{64}"
          title="A full commit hash"
          onChange={({ target }) => changed(() => setCommit(target.value))}
        />
      </label>
      <p className="quiet">
        Work starts from it. Empty: the commit at HEAD of the instance's repository. Agents see only
        what is committed.
      </p>
      <div className="send-row">
        <button type="submit" className="primary" disabled={!may || isBusy}>
          State the goal
        </button>
        <kbd>Ctrl Enter</kbd>
        {!may && data !== undefined && (
          <span className="quiet">Your token lacks the right forage.</span>
        )}
      </div>
      {isRefused && isBlank && (
        <p className="problem" role="alert">
          The goal has only blanks. Write what is to be achieved.
        </p>
      )}
      {error !== undefined && <Problem error={error} />}
    </form>
  );
}
