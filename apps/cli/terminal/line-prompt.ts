// One line that a person types below a log that goes on.
import process from "node:process";
import { createInterface, type Interface } from "node:readline";
import { sleep } from "../../../lib/async/sleep.ts";
import { dropTyped } from "./drop-typed.ts";
import { type Output, writingBy } from "./output.ts";

/** What is pasted comes all at once, several lines of it too: they are one answer, and none of them answers the next question. */
const pasteMs = 50;

export class LinePrompt implements Disposable {
  readonly #prompt: string;
  #open: Interface | undefined;
  /** Entered, and perhaps not the last of them. */
  #lines: string[] = [];
  #settle: ((text: string | undefined) => void) | undefined;

  constructor(prompt: string) {
    this.#prompt = prompt;
  }

  /**
   * Resolves with what was typed from now on (empty where the input ends first), or with undefined when the prompt was dismissed. `typed`
   * stands there already.
   */
  ask(typed: string): Promise<string | undefined> {
    return new Promise((resolve) => {
      this.#settle = resolve;
      dropTyped(process.stdin);
      this.#show(typed);
    });
  }

  /** The prompt goes away with what was typed so far. */
  dismiss(): void {
    this.#hide();
    this.#close();
    this.#finish(undefined);
  }

  /** The same output, for texts of whole lines that come to stand above the prompt. */
  above(output: Output): Output {
    const write = async (text: string) => {
      const typed = this.#hide();
      await output.write(text);
      if (typed !== undefined && this.#settle !== undefined) this.#show(typed);
    };
    return writingBy(output, write);
  }

  /** The terminal is as it was before. */
  [Symbol.dispose](): void {
    this.dismiss();
  }

  #show(typed: string): void {
    const { stdin: input, stderr: output } = process;
    const reading = createInterface({ input, output, terminal: true, prompt: this.#prompt, historySize: 0 });
    this.#open = reading;
    reading.on("line", async (line) => {
      this.#lines.push(line);
      if (this.#lines.length > 1) return;
      await sleep(pasteMs, new AbortController().signal);
      if (this.#open !== reading) return;
      const text = [...this.#lines, reading.line].join("\n").trim();
      this.#close();
      this.#finish(text);
    });
    // The terminal hands Ctrl-C over as a key while a line is edited.
    reading.on("SIGINT", () => process.kill(process.pid, "SIGINT"));
    reading.on("close", () => {
      if (this.#open !== reading) return;
      const text = this.#lines.join("\n").trim();
      // Nobody has pressed Enter behind the prompt.
      if (this.#lines.length === 0) process.stderr.write("\n");
      this.#finish(text);
    });
    reading.prompt();
    if (typed !== "") reading.write(typed);
  }

  /** Erases it; what was typed so far, if it was there. */
  #hide(): string | undefined {
    const reading = this.#open;
    // What has been entered stands above already.
    if (reading === undefined || this.#lines.length > 0) return undefined;
    const { rows } = reading.getCursorPos();
    const { line } = reading;
    this.#close();
    process.stderr.write(`\r${rows > 0 ? `\u001b[${rows}A` : ""}\u001b[J`);
    return line;
  }

  #close(): void {
    const reading = this.#open;
    this.#open = undefined;
    reading?.close();
  }

  #finish(text: string | undefined): void {
    const settle = this.#settle;
    this.#open = undefined;
    this.#lines = [];
    this.#settle = undefined;
    settle?.(text);
  }
}
