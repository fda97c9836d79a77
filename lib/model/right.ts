// What a token, or an assistant that acts for a person, may do.
import { z } from "zod";

/**
 * `read`: everything that people see. `forage`: post goals. `answer`: answer questions, raise budgets. `approve`: approve and reject.
 * `control`: cancel, retry, pause, resume.
 */
export const Right = z.enum(["read", "forage", "answer", "approve", "control"]);
export type Right = z.infer<typeof Right>;
export const allRights: readonly Right[] = Right.options;
