// The last delivery of each webhook, as the blackboard remembers it. A part of the port.
import type { Delivery, NoticeProblem } from "../../model/notify.ts";

/**
 * The record of webhooks that were notified, so that a restart neither loses nor repeats a
 * notification.
 */
export interface NoticeBoard {
  /**
   * Up to where in the log the orchestrator has notified; undefined where there are no webhooks.
   */
  readNoticeCursor(): Promise<string | undefined>;
  /** Undefined forgets it. */
  moveNoticeCursor(
    epoch: number,
    cursor: string | undefined,
  ): Promise<{ outcome: "moved" | "fenced" }>;
  /** The webhooks that could not be notified, and were not since. Empty where all is well. */
  readNoticeProblems(): Promise<NoticeProblem[]>;
  /** In place of those before. */
  noteNoticeProblems(
    epoch: number,
    problems: readonly NoticeProblem[],
  ): Promise<{ outcome: "moved" | "fenced" }>;
  /** The last notification of `hook` about `subject`; both are the caller's names. */
  readDelivery(subject: string, hook: string): Promise<Delivery | undefined>;
  recordDelivery(order: {
    subject: string;
    hook: string;
    delivery: Delivery;
    epoch: number;
  }): Promise<{ outcome: "recorded" | "fenced" }>;
}
