// Reading a record that a person may have replaced by a key of another type: one such record keeps
// none of the others from being read.
import { ErrorReply } from "redis";
import { SettError } from "../../model/errors.ts";

/** For `catch`: `instead` is read of a key of another type. Throws every other error. */
export function unlessWrongType<Value>(instead: Value): (error: unknown) => Value {
  return (error) => {
    if (error instanceof ErrorReply && error.message.startsWith("WRONGTYPE ")) return instead;
    throw error;
  };
}

/**
 * Throws where a key of another type was read as undefined: an empty record in its place would look
 * like one in which nothing is.
 */
export function orMalformed<Value>(key: string, value: Value | undefined): Value {
  if (value !== undefined) return value;
  throw new SettError("artefact-malformed", `${key} is malformed: it is a key of another type.`, {
    hint: `\`redis-cli TYPE ${key}\` shows what a person has put there in its place.`,
  });
}
