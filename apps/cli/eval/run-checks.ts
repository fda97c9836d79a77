// The checks of a run: an agent of the instance runs them on the result, in its own cage, and what
// they print is on record with the goal.
import { postArtefact } from "../../../lib/client/actions/post-artefact.ts";
import { checksOrder, checksTypeOf } from "../../../lib/config/eval-sett.ts";
import { failureReportIn } from "../../../lib/core/failure-report.ts";
import type { EvalGoal } from "../../../lib/model/eval-file.ts";
import type { ArtefactId } from "../../../lib/model/ids.ts";
import type { EvalOutcome } from "../facts/eval-runs.ts";
import { followGoal } from "../goals/follow-goal.ts";
import type { Session } from "../instance/session.ts";
import type { EvalInstance } from "./eval-instance.ts";

/** The start of the command, and the way to it and back, may take so long. */
const aroundMs = 120_000;
const exitCodeOfTimeout = 124;

type Checking = { order: { name: string; goal: EvalGoal }; about: ArtefactId };

/** Throws as `postArtefact`. */
export async function runChecks(
  { name, shell, actor, file, token }: EvalInstance,
  { board }: Session,
  { order, about }: Checking,
): Promise<{ outcome: EvalOutcome; reason: string }> {
  const { checks } = order.goal;
  if (checks.length === 0) return { outcome: "passed", reason: "" };
  const from = await board.endOfEvents();
  const posted = await postArtefact(board, undefined, {
    type: checksTypeOf(file, order.goal),
    content: { text: checksOrder(token, order.name) },
    ...{ from: [about], versionOf: undefined, actor, suggest: shell.suggest },
  });
  const limitMs = checks.reduce((sum, { timeoutMs }) => sum + timeoutMs, aroundMs);
  const interrupted = AbortSignal.any([shell.interrupted, AbortSignal.timeout(limitMs)]);
  const goal = posted.goal_id;
  const reading = await followGoal({ ...shell, interrupted }, { name, goal, from });
  if (reading === undefined)
    return shell.interrupted.aborted
      ? { outcome: "interrupted", reason: "The eval was interrupted while checks ran." }
      : { outcome: "broken", reason: "The checks have not ended within their time." };
  const made = reading.artefacts.find(({ source_artefacts: [source] }) => source === posted.id);
  if (made?.structural_type === "Terminal") return { outcome: "passed", reason: "" };
  const { payload = "" } = (made && (await board.readArtefact(made.id))) ?? {};
  const report = failureReportIn(payload);
  const reason = reasonOf(order.goal, report?.stdout ?? "");
  if (reason !== undefined) return { outcome: "checks-failed", reason };
  const why = report?.reason ?? made?.metadata.summary ?? "No agent has run them.";
  return { outcome: "broken", reason: `The checks could not run: ${why}` };
}

/** `stdout`: as the script of the checks has it, `failed 2:1 3:124`. */
function reasonOf({ checks }: EvalGoal, stdout: string): string | undefined {
  const failed = [...stdout.matchAll(/ (\d+):(\d+)/g)].map(([, number, code]) => {
    const { run = "", timeoutMs = 0 } = checks[Number(number) - 1] ?? {};
    return Number(code) === exitCodeOfTimeout
      ? `\`${run}\` took longer than ${timeoutMs / 1_000} s`
      : `\`${run}\` ended with exit code ${code}`;
  });
  return stdout.startsWith("failed") ? failed.join("; ") : undefined;
}
