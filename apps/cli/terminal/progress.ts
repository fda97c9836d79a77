// Long steps, several at a time: spinners on a terminal, a line for each beginning and end elsewhere.

import { oneLine, shorten } from "../text/plain-text.ts";
import { wrap } from "../text/wrap.ts";
import type { Output } from "./output.ts";

const frames = [..."⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"];
const frameMs = 80;

export type Step = {
  /** What it is doing right now. `isMilestone`: worth a line of its own where nothing moves. */
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
        const line = isTerminal ? `${style.green("✔")} ${style.bold(name)} ${result}` : `${name}: ${result}`;
        this.#print(wrap(line, { columns: this.#err.columns, indent: 2 }));
        this.#draw();
      },
    };
  }

  /** What is still running is no longer shown. */
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

  /** From the first column on: what a person has typed meanwhile, Ctrl-C for one, stands there, too. */
  #erase(): void {
    if (this.#drawnLines > 0) void this.#err.write(`\r\u001b[${this.#drawnLines}A\u001b[J`);
    this.#drawnLines = 0;
  }

  #print(text: string): void {
    void this.#err.write(`${text}\n`);
  }
}
