// Reading a record that a person may have replaced by a key of another type: one such record keeps
// none of the others from being read.
import { ErrorReply } from "redis";

/** For `catch`: `instead` is read of a key of another type. Throws every other error. */
export function unlessWrongType<Value>(instead: Value): (error: unknown) => Value {
  return (error) => {
    if (error instanceof ErrorReply && error.message.startsWith("WRONGTYPE ")) return instead;
    throw error;
  };
}
