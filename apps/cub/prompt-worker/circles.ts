// Notices a model that goes in circles: it makes the same calls again, one or a few in turn, and
// their results are the same.
import type { ToolCall } from "./ask-model.ts";
import type { ToolText } from "./conversation.ts";

/** Twice may be to make sure. */
const firstNotice = 3;
/** By then the model has read several times that it goes in circles. */
const lastTime = 6;
/** A circle has so many steps at most: an edit, a test, its undoing and a test are four. */
const maxCircleSteps = 4;

/** The text of a notice is for the model, that of an end for people. */
export type Circle = { kind: "notice" | "end"; text: string };

export class Circles {
  /** The newest is the last. */
  #made: string[] = [];

  /** Undefined while the model does not go in circles. */
  look(calls: readonly ToolCall[], results: readonly ToolText[]): Circle | undefined {
    const made = calls.map(({ name, input }, at) => [name, input, results[at]?.text]);
    this.#made = [...this.#made, JSON.stringify(made)].slice(-maxCircleSteps * lastTime);
    const { steps, times } = this.#circle();
    if (times < firstNotice) return undefined;
    const same = `the same ${steps === 1 ? "" : `${steps} steps `}${times} times`;
    const names = [...new Set(calls.map(({ name }) => `\`${name}\``))].join(", ");
    if (times >= lastTime)
      return {
        kind: "end",
        text: `The model has gone in circles: it has made ${same}, with the same arguments and the same results, the last with ${names}.`,
      };
    return {
      kind: "notice",
      text: `You have made ${same} (${names}), with the same arguments, and the result was the same each time. It will not be another: try something else, or end the work. After ${lastTime} times the work fails.`,
    };
  }

  /** The circle that has come most often up to the last step. */
  #circle(): { steps: number; times: number } {
    let found = { steps: 1, times: 1 };
    for (let steps = 1; steps <= maxCircleSteps; steps++) {
      let same = 0;
      for (let at = this.#made.length - 1; at >= steps; at--, same++)
        if (this.#made[at] !== this.#made[at - steps]) break;
      const times = 1 + Math.floor(same / steps);
      if (times > found.times) found = { steps, times };
    }
    return found;
  }
}
