// A goal's state, text and cost, and what a person may do with it: cancel, pause, allow more.
import { useState } from "react";
import { duration } from "../../../../lib/words/age.ts";
import { revertSentence } from "../../../../lib/words/result-sentence.ts";
import { textOf } from "../../../../lib/words/segment.ts";
import { shortId } from "../../../../lib/words/short-id.ts";
import { Action, useAction, useRight } from "../../components/action.tsx";
import { Problem } from "../../components/problem.tsx";
import { StateMark } from "../../components/state-mark.tsx";
import { Line } from "../../components/text.tsx";
import { Ago, Elapsed } from "../../components/time.tsx";
import { post } from "../../data/api.ts";
import type { GoalDetail } from "../../data/contract.ts";
import { useAsSubject } from "../../data/subject.ts";
import { visibleLine } from "../../text/visible-text.ts";
import { money } from "../../text/words.ts";
import { statedBy } from "../goals/goal-filter.ts";
import { SayToWork } from "./say-to-work.tsx";

/** `tookMs`: until it came to rest; undefined while it is at work. */
type Props = { goal: GoalDetail; tookMs: number | undefined; refresh: () => void };

export function GoalHead({ goal, tookMs, refresh }: Props) {
  const {
    id,
    state,
    summary,
    commit,
    created_at,
    cost,
    trigger,
    unreadable,
    paused,
    reverts,
    person,
  } = goal;
  useAsSubject(summary === "" ? `Goal ${shortId(id)}` : visibleLine(summary, 60));
  // At rest there is no work to cancel, and the orchestrator would refuse.
  const isOver = state !== "running" && state !== "waiting";
  return (
    <header className="goal-head">
      <div className="goal-title">
        <StateMark state={state} />
        <h1>
          <Line text={summary === "" ? "(no summary)" : summary} max={240} />
        </h1>
      </div>
      <div className="goal-meta">
        <span>
          goal <code>{shortId(id)}</code>
        </span>
        {commit !== null && (
          <span>
            commit <code>{commit.slice(0, 10)}</code>
          </span>
        )}
        <span>
          stated <Ago at={created_at} />
          {(trigger ?? person) !== null && (
            <>
              {" by "}
              <Line text={statedBy({ trigger, person })} max={80} />
            </>
          )}
        </span>
        <span>
          {tookMs === undefined ? (
            !isOver && (
              <>
                for <Elapsed since={created_at} />
              </>
            )
          ) : (
            <>
              took <span className="elapsed">{duration(tookMs)}</span>
            </>
          )}
        </span>
        {reverts.map((revert) => (
          <span key={revert.lane} className="reverted">
            <span aria-hidden="true">↶ </span>
            reverted <Line text={textOf(revertSentence(revert), (foreign) => foreign)} max={120} />{" "}
            <Ago at={revert.at} />
          </span>
        ))}
        {cost !== null && cost.calls > 0 && (
          <span>
            {money(cost)} in {cost.calls} {cost.calls === 1 ? "call" : "calls"}
          </span>
        )}
        <span className="goal-actions">
          {cost !== null && <RaiseBudget goal={id} done={refresh} />}
          {(!isOver || paused !== null) && <PauseGoal goal={goal} refresh={refresh} />}
          {!isOver && <SayToWork goal={id} />}
          {!isOver && (
            <Action
              right="control"
              className="danger-quiet"
              confirm="Cancel this goal and all of its work?"
              act={() => post(`/v1/goals/${id}/cancel`, {}).then(refresh)}
            >
              Cancel the goal
            </Action>
          )}
        </span>
      </div>
      {unreadable !== null && (
        <div className="problem" role="alert">
          <p className="problem-what">
            <span aria-hidden="true">✕ </span>
            {unreadable.says}
          </p>
          <p>{unreadable.remedy}</p>
        </div>
      )}
    </header>
  );
}

function PauseGoal({ goal: { id, paused }, refresh }: Pick<Props, "goal" | "refresh">) {
  const deed = paused === null ? "pause" : "resume";
  return (
    <Action right="control" act={() => post(`/v1/goals/${id}/${deed}`, {}).then(refresh)}>
      {paused === null ? "Pause the goal" : "Resume the goal"}
    </Action>
  );
}

function RaiseBudget({ goal, done }: { goal: string; done: () => void }) {
  const [isOpen, setIsOpen] = useState(false);
  const [add, setAdd] = useState("");
  const may = useRight("answer");
  const { isBusy, error, run } = useAction(() => post(`/v1/goals/${goal}/budget`, { add }));
  if (!isOpen)
    return (
      <button type="button" disabled={!may} onClick={() => setIsOpen(true)}>
        Allow more
      </button>
    );
  return (
    <form
      className="inline-form"
      onSubmit={async (event) => {
        event.preventDefault();
        if (!(await run())) return;
        setIsOpen(false);
        done();
      }}
    >
      <label>
        <span className="hidden">How much more may be spent: </span>
        <input
          value={add}
          placeholder="5usd, 200k tokens"
          required
          // biome-ignore lint/a11y/noAutofocus: the field takes the place of the button that was pressed.
          autoFocus
          onChange={({ target }) => setAdd(target.value)}
        />
      </label>
      <button type="submit" disabled={isBusy}>
        Allow
      </button>
      <button type="button" onClick={() => setIsOpen(false)}>
        Close
      </button>
      {error !== undefined && <Problem error={error} />}
    </form>
  );
}
