// What the blackboard answers to a write that it does not make.
import { SettError } from "../model/errors.ts";

/** Redis has said each time that it refuses to write: whatever was to be written stands nowhere. */
export class WritesRefused extends SettError {}

/** Why a write was not made. `invalid`: it contradicts what stands there; `ended`: its goal was ended or cancelled. */
export type Refused = { outcome: "refused"; reason: string };
