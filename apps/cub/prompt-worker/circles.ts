// Notices a model that goes in circles: it makes the same calls again, and their results are the
// same.
import type { ToolCall } from "./ask-model.ts";
import type { ToolText } from "./conversation.ts";

/** Twice may be to make sure. */
const firstNotice = 3;

export class Circles {
  #last = "";
  #times = 0;

  /** A sentence for the model once the same has come so often in a row; else undefined. */
  note(calls: readonly ToolCall[], results: readonly ToolText[]): string | undefined {
    const made = calls.map(({ name, input }, at) => [name, input, results[at]?.text]);
    const text = JSON.stringify(made);
    this.#times = text === this.#last ? this.#times + 1 : 1;
    this.#last = text;
    if (this.#times < firstNotice) return undefined;
    const names = [...new Set(calls.map(({ name }) => `\`${name}\``))].join(", ");
    return `You have called ${names} ${this.#times} times with the same arguments, and the result was the same each time. It will not be another: try something else, or end the work.`;
  }
}
