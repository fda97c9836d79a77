// How the blackboard refuses a write.
import { SettError } from "../../model/errors.ts";

/** Redis refused to write at every try: nothing was written. */
export class WritesRefused extends SettError {}

/** Why a write was not made: a sentence. */
export type Refused = { outcome: "refused"; reason: string };
