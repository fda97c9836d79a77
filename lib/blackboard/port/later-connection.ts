// The refusal of what was to be done on one connection alone, and came to a later one.
import { SettError } from "../../model/errors.ts";

/**
 * The connection that a call was bound to is lost. Its requests may have been done, and may have
 * been lost after that.
 */
export class LaterConnection extends SettError {
  constructor() {
    super(
      "redis-unreachable",
      "Contact with Redis was lost since this was read, so that it is read again.",
    );
  }
}
