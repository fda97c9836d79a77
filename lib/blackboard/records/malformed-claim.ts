// The error for a claim that a person has damaged by hand.
import { clauseOf, SettError } from "../../model/errors.ts";

/** Only a person mends it: until then another try fails as this one has. */
export class MalformedClaimError extends SettError {
  constructor(key: string, cause: unknown) {
    super("blackboard-refused", `The claim at ${key} is malformed: ${clauseOf(cause)}.`, {
      hint: `Read it with \`redis-cli HGETALL ${key}\` and correct its fields.`,
      cause,
    });
  }
}
