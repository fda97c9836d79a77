// Runs a goal of an eval: posts it, answers as the file says, and lets the checks run on what came
// of it. All of it is on record.
import { cancelGoal } from "../../../lib/client/actions/control.ts";
import { findJudged, judge } from "../../../lib/client/actions/judge.ts";
import { mayBoth, postAnswer } from "../../../lib/client/actions/post-answer.ts";
import { postGoal } from "../../../lib/client/actions/post-goal.ts";
import { readGoalCost } from "../../../lib/client/facts/costs.ts";
import {
  failuresOf,
  type GoalReading,
  readGoal,
  whyStalled,
} from "../../../lib/client/facts/goal.ts";
import type { Inquiry } from "../../../lib/client/facts/inquiries.ts";
import { readResult } from "../../../lib/client/facts/result.ts";
import { firstLine } from "../../../lib/client/text/plain-text.ts";
import { messageOf } from "../../../lib/model/errors.ts";
import type { EvalGoal } from "../../../lib/model/eval-file.ts";
import type { ArtefactId, CommitHash, GoalId } from "../../../lib/model/ids.ts";
import type { EvalOutcome, EvalRun } from "../facts/eval-runs.ts";
import { followGoal, type RestingGoal } from "../goals/follow-goal.ts";
import { fetchResults, readResults } from "../instance/fetch-results.ts";
import { askerOf } from "../instance/request.ts";
import { openSession, type Session } from "../instance/session.ts";
import type { Shell } from "../terminal/shell.ts";
import type { EvalInstance } from "./eval-instance.ts";
import { runChecks } from "./run-checks.ts";

export type RunOrder = { name: string; goal: EvalGoal; commit: CommitHash; run: number };

type Verdict = { outcome: EvalOutcome; reason: string };

/** Never throws: what goes wrong is the reason of the run. */
export async function runGoal(
  at: EvalInstance,
  order: RunOrder,
): Promise<Omit<EvalRun, "setting" | "report">> {
  const { shell, lasting } = at;
  const begun = { goal: order.name, run: order.run };
  const state: { goal: GoalId | undefined } = { goal: undefined };
  const inquiries = new Set<string>();
  try {
    await using session = await openSession(lasting, at.name);
    const { board } = session;
    const from = await board.endOfEvents();
    const { goal: spec, commit } = order;
    const posted = await postGoal(board, at.repository, {
      ...{ text: spec.goal, id: undefined, commit, actor: at.actor },
      ...{ suggest: shell.suggest, recording: undefined },
    });
    state.goal = posted.goal_id;
    const ended = await untilRest(at, { session, order, goal: posted.goal_id, from, inquiries });
    const measured = await measure(session, posted.goal_id);
    await fetchResults(lasting, session.place.workspace, () => readResults(board), "count");
    const verdict =
      ended.outcome === "passed"
        ? await runChecks(at, session, { order, about: measured.about ?? posted.id })
        : ended;
    if (verdict.outcome === "interrupted" || verdict.outcome === "broken")
      await cancel(at, session, posted.goal_id);
    const { about: _about, ...figures } = measured;
    return { ...begun, ...verdict, ...figures, goal_id: posted.goal_id, questions: inquiries.size };
  } catch (error) {
    const outcome = shell.interrupted.aborted ? "interrupted" : "broken";
    const nothing = { commit: null, cost: null, duration_ms: null, rounds: 0 };
    const failed = { outcome, reason: messageOf(error), goal_id: state.goal ?? null } as const;
    return { ...begun, ...failed, ...nothing, questions: inquiries.size };
  }
}

type Running = {
  session: Session;
  order: RunOrder;
  goal: GoalId;
  from: string;
  inquiries: Set<string>;
};

/**
 * Follows the goal until it rests, and answers as the file says. What cannot go on is cancelled.
 * `passed`: the goal was reached.
 */
async function untilRest(at: EvalInstance, running: Running): Promise<Verdict> {
  const { order, session, goal, inquiries } = running;
  const limit = AbortSignal.timeout(order.goal.timeoutMs);
  const interrupted = AbortSignal.any([at.shell.interrupted, limit]);
  const shell: Shell = { ...at.shell, interrupted };
  const answers = [...order.goal.answers];
  let { from } = running;
  const cancelled = async (verdict: Verdict): Promise<Verdict> => {
    await cancel(at, session, goal);
    return verdict;
  };
  for (;;) {
    const reading = await followGoal(shell, { name: at.name, goal, from });
    if (reading === undefined)
      return await cancelled(
        at.shell.interrupted.aborted
          ? { outcome: "interrupted", reason: "The eval was interrupted." }
          : {
              outcome: "timed-out",
              reason: `It had not ended after ${order.goal.timeoutMs / 1_000} s.`,
            },
      );
    if (reading.status.state !== "waiting") return verdictOn(reading);
    from = await session.board.endOfEvents();
    for (const inquiry of reading.inquiries) {
      const reason = await settle(at, running, {
        inquiry,
        answers,
        isNew: isNew(inquiry, inquiries),
      });
      if (reason !== undefined) return await cancelled({ outcome: "asked", reason });
    }
  }
}

/** A goal that rests meanwhile needs no end. */
async function cancel(
  { lasting, actor }: EvalInstance,
  session: Session,
  goal: GoalId,
): Promise<void> {
  await cancelGoal(askerOf(lasting, session), goal, actor).catch(() => undefined);
}

/** Counts it. An approval that the same person cannot give twice comes again. */
function isNew(inquiry: Inquiry, before: Set<string>): boolean {
  const key =
    inquiry.kind === "question" ? inquiry.question.id : `${inquiry.artefact.id} ${inquiry.agent}`;
  const count = before.size;
  return before.add(key).size > count;
}

type Settling = { inquiry: Inquiry; answers: string[]; isNew: boolean };

/** Answers or approves. Returns why it cannot. */
async function settle(
  { shell: { suggest }, actor }: EvalInstance,
  { session: { board }, order }: Running,
  { inquiry, answers, isNew: isFirst }: Settling,
): Promise<string | undefined> {
  try {
    if (inquiry.kind === "question") {
      const answer = answers.shift();
      if (answer === undefined)
        return `It asked, and the file has no more answers: ${firstLine(inquiry.question.payload)}`;
      const done = await postAnswer(board, inquiry.question, answer, {
        ...{ actor, suggest, may: mayBoth },
      });
      return done.outcome === "closed" ? done.why : undefined;
    }
    if (!order.goal.approve)
      return `${inquiry.agent} waits for an approval, and the file does not say \`approve: true\`.`;
    if (!isFirst) return `${inquiry.agent} waits for the approval of another person.`;
    const speaking = { speaker: inquiry.agent, actor, suggest };
    const judged = await findJudged(board, inquiry.artefact.id, speaking);
    await judge(board, judged, { approves: true, reason: undefined, actor, suggest });
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

function verdictOn(reading: RestingGoal): Verdict {
  const { state } = reading.status;
  switch (state) {
    case "achieved":
    case "settled":
      return { outcome: "passed", reason: "" };
    case "failed": {
      const last = failuresOf(reading).at(-1);
      return { outcome: "failed", reason: last?.metadata.summary ?? "It failed." };
    }
    case "cancelled":
      return { outcome: "cancelled", reason: "It was cancelled, or had too many artefacts." };
    default:
      return {
        outcome: "stalled",
        reason: whyStalled(reading.artefacts.filter(({ id }) => String(id) !== reading.goal)),
      };
  }
}

type Measured = Pick<EvalRun, "commit" | "cost" | "duration_ms" | "rounds"> & {
  about: ArtefactId | undefined;
};

/** Before the checks, which are no work of the agents. `about`: what has the last commit. */
async function measure({ board }: Session, goal: GoalId): Promise<Measured> {
  const reading = await readGoal(board, goal);
  const [cost, result] = await Promise.all([
    readGoalCost(board, goal),
    readResult(board, goal, reading.status.state),
  ]);
  const last = result.commits.at(-1);
  return {
    commit: last?.commit ?? null,
    about: last?.artefact,
    cost: cost?.total ?? null,
    duration_ms: result.duration_ms,
    rounds: roundsOf(reading),
  };
}

function roundsOf({ goal, artefacts }: GoalReading): number {
  const made = artefacts.filter(
    ({ logical_id, structural_type }) =>
      String(logical_id) !== goal &&
      (structural_type === "Standard" || structural_type === "Terminal"),
  );
  return Math.max(0, ...made.map(({ version }) => version));
}
