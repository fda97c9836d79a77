// The error for a claim that a person has damaged by hand.
import { messageOf, SettError } from "../../model/errors.ts";

export function malformedClaimError(key: string, cause: unknown): SettError {
  return new SettError(
    "blackboard-refused",
    `The claim at ${key} is malformed: ${messageOf(cause)}.`,
    {
      hint: `Read it with \`redis-cli HGETALL ${key}\` and correct its fields.`,
      cause,
    },
  );
}
