// The message with which a run begins, in the three parts of which begin-work puts it together:
// what is known of the run, and between that the attempt and the context, which the function finds.
// The same start has the same text, in whichever order the run's members come, because a message is
// known by its text.
import type { ClaimId } from "../../model/ids.ts";
import { withoutUndefined } from "../../model/without-undefined.ts";
import type { RunStart } from "../port/mail.ts";

export type BegunParts = { saidBefore: string; saidAfter: string };

/** `isQuiet`: it is not answered where it counts. */
export function begunParts(
  claim: ClaimId,
  {
    host,
    isQuiet,
    run,
  }: { host: string | undefined; isQuiet: boolean; run: Omit<RunStart, "context_ids"> },
): BegunParts {
  const about = JSON.stringify(withoutUndefined({ host, quiet: isQuiet || undefined })).slice(
    1,
    -1,
  );
  const begin = about === "" ? "{" : `{${about},`;
  const saidBefore = `${begin}"message":{"say":"started","claim":${JSON.stringify(claim)}`;
  const { started_at, run_id, run_by, model_token, base_commit } = run;
  const inOrder = withoutUndefined({ started_at, run_id, run_by, model_token, base_commit });
  return { saidBefore, saidAfter: `${JSON.stringify(inOrder).slice(1)}}}` };
}

export function begunText(
  { saidBefore, saidAfter }: BegunParts,
  {
    attempt,
    queued_at,
    context_ids,
  }: { attempt: number; queued_at: string; context_ids: readonly string[] },
): string {
  const run = `"run":{"context_ids":${JSON.stringify(context_ids)},`;
  return `${saidBefore},"attempt":${attempt},"queued_at":${JSON.stringify(queued_at)},${run}${saidAfter}`;
}
