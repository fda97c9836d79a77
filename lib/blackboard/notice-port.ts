// The last delivery of each webhook, as the blackboard remembers it. A part of the port.
import type { Delivery } from "../model/notify.ts";

/** What receivers outside were told, so that a restart neither forgets nor repeats it. */
export interface NoticeBoard {
  /** Where in the log the orchestrator stands with telling; undefined where nobody is to be told. */
  readNoticeCursor(): Promise<string | undefined>;
  /** Undefined forgets it. */
  moveNoticeCursor(epoch: number, cursor: string | undefined): Promise<{ outcome: "moved" | "fenced" }>;
  /** What `hook` was told last of `subject`; both are the caller's names. */
  readDelivery(subject: string, hook: string): Promise<Delivery | undefined>;
  recordDelivery(note: {
    subject: string;
    hook: string;
    delivery: Delivery;
    epoch: number;
  }): Promise<{ outcome: "noted" | "fenced" }>;
}
