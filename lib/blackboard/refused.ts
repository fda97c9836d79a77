// What the blackboard answers to a write that it does not make.

/** Why a write was not made. `invalid`: it contradicts what stands there; `ended`: its goal was ended or cancelled. */
export type Refused = { outcome: "refused"; reason: string };
