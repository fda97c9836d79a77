// A question of an agent: its text, what it is about, and the answer.
import { useRef } from "react";
import { shortId } from "../../../../lib/words/short-id.ts";
import { useAction } from "../../components/action.tsx";
import { Content } from "../../components/artefact-content.tsx";
import { MustSign, useMustSign } from "../../components/must-sign.tsx";
import { SendBox } from "../../components/send-box.tsx";
import { Line } from "../../components/text.tsx";
import { post } from "../../data/api.ts";
import type { Inquiry } from "../../data/contract.ts";
import { makerOf } from "../../graph/matching.ts";
import { goalHref } from "../../routes.ts";
import { useKeys } from "./use-keys.ts";

type Props = {
  inquiry: Extract<Inquiry, { kind: "question" }>;
  done: (isSent: boolean) => void;
  close: () => void;
};

export function QuestionPane({ inquiry, done, close }: Props) {
  const { question, goal_id, budget, text: words } = inquiry;
  const field = useRef<HTMLTextAreaElement>(null);
  const text = useRef("");
  const mustSign = useMustSign();
  const { isBusy, error, run } = useAction(() =>
    post(`/v1/questions/${question.id}/answer`, { text: text.current }),
  );
  useKeys({ r: () => field.current?.focus() });
  const send = async (answer: string) => {
    text.current = answer;
    // The question is read again after a refusal, too: another person may have been faster.
    done(await run());
  };
  return (
    <article className="pane">
      <header>
        <button type="button" className="close" onClick={close}>
          <span aria-hidden="true">✕ </span>Close
        </button>
        <h2>
          <span className="tone-question toned" aria-hidden="true">
            ?{" "}
          </span>
          Question from {makerOf(question)}
        </h2>
        <p className="quiet">
          <Line text={question.type} max={80} /> <code>{shortId(question.id)}</code> · goal{" "}
          <a href={goalHref(goal_id, question.id)}>{shortId(goal_id)}</a>
          {question.source_artefacts[0] !== undefined && (
            <>
              {" · about "}
              <a href={goalHref(goal_id, question.source_artefacts[0])}>
                {shortId(question.source_artefacts[0])}
              </a>
            </>
          )}
        </p>
      </header>
      {budget !== undefined && (
        <p>
          <strong>{budget.says}</strong> Your answer raises it by the amount that you write, such as{" "}
          <code>5usd</code>, <code>200k tokens</code>, <code>50 calls</code>
          {budget.yes_adds !== null && (
            <>
              ; <code>yes</code> adds {budget.yes_adds}
            </>
          )}
          . The agent's own words:
        </p>
      )}
      <Content text={words} />
      {mustSign && <MustSign commands={[`sett answer ${shortId(question.id)} "…" --sign`]} />}
      {!mustSign && (
        <SendBox
          label="Your answer"
          button="Answer"
          right={budget === undefined ? "answer" : "budget"}
          field={field}
          isBusy={isBusy}
          error={error}
          send={send}
          ifEmpty="Nothing was sent: write your answer."
        />
      )}
    </article>
  );
}
