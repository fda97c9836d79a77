// Work that was not begun because of the machine, and not because of what it is: it may be tried
// again.
import { SettError } from "../../../lib/model/errors.ts";

export class NotBegun extends SettError {
  constructor(sentence: string) {
    super("not-ready", sentence, {
      hint: "The cub tries again, or starts again in a new container.",
    });
  }
}
