// A prompt for one line, below a log that goes on.
import process from "node:process";
import { createInterface, type Interface } from "node:readline";
import { sleep } from "../../../lib/async/sleep.ts";
import { discardInput } from "./discard-input.ts";
import { type Output, writingBy } from "./output.ts";

/**
 * Pasted lines arrive at once. All lines within this time are one answer, and none of them answers
 * the next question.
 */
const pasteMs = 50;

export class LinePrompt implements Disposable {
  readonly #prompt: string;
  #open: Interface | undefined;
  /** Lines that were entered; more of the same paste may follow. */
  #lines: string[] = [];
  #settle: ((text: string | undefined) => void) | undefined;

  constructor(prompt: string) {
    this.#prompt = prompt;
  }

  /**
   * Resolves with the text that was typed from now on (empty where the input ends first), or with
   * undefined when the prompt was dismissed. The prompt begins with `typed`.
   */
  ask(typed: string): Promise<string | undefined> {
    return new Promise((resolve) => {
      this.#settle = resolve;
      discardInput(process.stdin);
      this.#show(typed);
    });
  }

  /** Removes the prompt together with its unfinished text. */
  dismiss(): void {
    this.#hide();
    this.#close();
    this.#finish(undefined);
  }

  /** The same output; it writes texts of whole lines above the prompt. */
  above(output: Output): Output {
    const write = async (text: string) => {
      const typed = this.#hide();
      await output.write(text);
      if (typed !== undefined && this.#settle !== undefined) this.#show(typed);
    };
    return writingBy(output, write);
  }

  /** Restores the terminal. */
  [Symbol.dispose](): void {
    this.dismiss();
  }

  #show(typed: string): void {
    const { stdin: input, stderr: output } = process;
    const reading = createInterface({
      input,
      output,
      terminal: true,
      prompt: this.#prompt,
      historySize: 0,
    });
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
    // While a line is edited, the terminal sends Ctrl-C as a key.
    reading.on("SIGINT", () => process.kill(process.pid, "SIGINT"));
    reading.on("close", () => {
      if (this.#open !== reading) return;
      const text = this.#lines.join("\n").trim();
      // The person has not pressed Enter after the prompt.
      if (this.#lines.length === 0) process.stderr.write("\n");
      this.#finish(text);
    });
    reading.prompt();
    if (typed !== "") reading.write(typed);
  }

  /** Erases the prompt, and returns its unfinished text; undefined where no prompt was shown. */
  #hide(): string | undefined {
    const reading = this.#open;
    // Lines that were entered are part of the log already.
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
