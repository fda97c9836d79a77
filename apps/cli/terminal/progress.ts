// Progress of long steps that run at the same time: spinners on a terminal, elsewhere a line for
// each start and end.

import { oneLine, shorten } from "../../../lib/client/text/plain-text.ts";
import { wrap } from "../../../lib/client/text/wrap.ts";
import type { Output } from "./output.ts";

const frames = [..."⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"];
const frameMs = 80;

export type Step = {
  /**
   * Says what the step does now. `isMilestone`: prints a line of its own where there is no spinner.
   */
  update(detail: string, options?: { isMilestone?: boolean }): void;
  done(result: string): void;
};

type Running = { name: string; detail: string };

export class Progress implements Disposable {
  readonly #err: Output;
  readonly #running = new Set<Running>();
  #drawnLines = 0;
  #frame = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(err: Output) {
    this.#err = err;
  }

  begin(name: string, detail: string): Step {
    const step = { name, detail };
    this.#running.add(step);
    if (this.#err.isTerminal) this.#spin();
    else this.#print(`${name}: ${detail}`);
    return {
      update: (text, { isMilestone = false } = {}) => {
        step.detail = oneLine(text);
        if (isMilestone && !this.#err.isTerminal) this.#print(`${name}: ${step.detail}`);
      },
      done: (result) => {
        if (!this.#running.delete(step)) return;
        const { style, isTerminal } = this.#err;
        this.#erase();
        const line = isTerminal
          ? `${style.green("✔")} ${style.bold(name)} ${result}`
          : `${name}: ${result}`;
        this.#print(wrap(line, { columns: this.#err.columns, indent: 2 }));
        this.#draw();
      },
    };
  }

  /** Removes the steps that still run from the terminal. */
  [Symbol.dispose](): void {
    this.#running.clear();
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#erase();
  }

  #spin(): void {
    this.#timer ??= setInterval(() => {
      this.#frame += 1;
      this.#erase();
      this.#draw();
    }, frameMs);
  }

  #draw(): void {
    if (!this.#err.isTerminal || this.#running.size === 0) return;
    const { style, columns = 80 } = this.#err;
    const spinner = style.cyan(frames[this.#frame % frames.length] ?? "");
    const lines = [...this.#running].map(({ name, detail }) => {
      const room = Math.max(10, columns - name.length - 4);
      return `${spinner} ${style.bold(name)} ${style.dim(shorten(detail, room))}`;
    });
    this.#drawnLines = lines.length;
    this.#print(lines.join("\n"));
  }

  /** Erases from the first column on, because a typed key such as Ctrl-C may be shown there. */
  #erase(): void {
    if (this.#drawnLines > 0) void this.#err.write(`\r\u001b[${this.#drawnLines}A\u001b[J`);
    this.#drawnLines = 0;
  }

  #print(text: string): void {
    void this.#err.write(`${text}\n`);
  }
}
