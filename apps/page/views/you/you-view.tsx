// The reader: the name on record, what it may do, whose verdicts it may give, and what this browser
// shows of what happens while the page is not in view.
import { actorName } from "../../../../lib/words/actor-name.ts";
import { Problem } from "../../components/problem.tsx";
import { Line } from "../../components/text.tsx";
import { ThemeChoice } from "../../components/theme-choice.tsx";
import type { Right } from "../../data/contract.ts";
import { useInstance } from "../../data/instance.ts";
import { type Notices, useNotices } from "../../data/notices.ts";

const meaning: Record<Right, string> = {
  read: "read everything",
  forage: "state goals",
  post: "post work of your own",
  answer: "answer questions, and say something to work",
  budget: "allow more to be spent",
  approve: "approve and reject",
  control: "cancel, retry, pause and resume",
};

export function YouView() {
  const { data, error, refresh } = useInstance();
  if (error !== undefined && data === undefined) return <Problem error={error} retry={refresh} />;
  if (data === undefined) return <p className="quiet loading">Loading…</p>;
  const { actor, rights, judges_for: judged } = data.me;
  return (
    <div className="you">
      <h1>You</h1>
      <section>
        <h2>Your name</h2>
        <p>
          What you do here is on record as{" "}
          <strong>{<Line text={actorName(actor)} max={120} />}</strong>.
        </p>
        <p className="quiet">
          The name comes with your token or your sign-in; <code>sett ui</code> takes it from git (
          <code>git config user.name</code>). What is on record keeps the name it has.
        </p>
      </section>
      <section>
        <h2>What you may do</h2>
        <ul>
          {(Object.keys(meaning) as Right[]).map((right) => (
            <li key={right} className={rights.includes(right) ? "" : "quiet"}>
              <span aria-hidden="true">{rights.includes(right) ? "✓" : "–"} </span>
              <span className="hidden">{rights.includes(right) ? "yes: " : "no: "}</span>
              {meaning[right]}
            </li>
          ))}
        </ul>
        {rights.includes("approve") && (
          <p>
            {judged.length === 0
              ? "No agent of sett.yml is a person for whom you speak."
              : `You give the verdicts of ${judged.join(", ")}.`}
          </p>
        )}
        {data.signatures_required && (
          <p>Goals, answers and verdicts need your signature: the command line makes it.</p>
        )}
      </section>
      <Notifications {...useNotices()} />
      <section>
        <h2>Colours</h2>
        <ThemeChoice />
      </section>
    </div>
  );
}

function Notifications({ state, wanted, want }: Notices) {
  const kinds = [
    { kind: "questions", text: "a question waits for a person" },
    { kind: "verdicts", text: "a result waits for your verdict" },
    { kind: "goals", text: "a goal ends" },
  ] as const;
  return (
    <section>
      <h2>Notifications of this browser</h2>
      {state === "refused" && (
        <p className="problem" role="alert">
          This browser shows no notifications of this page: allow them in its settings for this
          address.
        </p>
      )}
      {state === "none" && <p>This browser has no notifications.</p>}
      {state === "able" && (
        <fieldset className="checks">
          <legend>While the page is not in view, notify me when</legend>
          {kinds.map(({ kind, text }) => (
            <label key={kind} className="check">
              <input
                type="checkbox"
                checked={wanted.includes(kind)}
                onChange={({ target }) => void want(kind, target.checked)}
              />
              {text}
            </label>
          ))}
        </fieldset>
      )}
      <p className="quiet">
        They come while the page is open in a tab. What shall reach people without it, by mail, chat
        or phone, is set under <code>notify</code> in sett.yml.
      </p>
    </section>
  );
}
