// The webhooks that could not be notified, as the blackboard stores them.
import { z } from "zod";
import { parseJson } from "../../model/json.ts";
import { NoticeProblem } from "../../model/notify.ts";

/** The field in the hash of the orchestrator. */
export const noticeProblemsField = "notice_problems";

/** A damaged list is ignored: the next failure writes it anew. */
export function noticeProblemsOf(text: string | null): NoticeProblem[] {
  return z.array(NoticeProblem).safeParse(parseJson(text ?? "[]")).data ?? [];
}
