// What a token may do.
import { z } from "zod";

/** `read` every GET; `forage` state goals; `answer` questions and budgets; `approve` and reject; `control`: cancel, retry, pause, resume. */
export const Right = z.enum(["read", "forage", "answer", "approve", "control"]);
export type Right = z.infer<typeof Right>;

export const allRights: readonly Right[] = Right.options;
