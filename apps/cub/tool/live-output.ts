// What a command prints goes into the log of its cub as it comes, in pieces: all who read the log
// of the agent see it, and nothing waits for a reader.
import { type StreamName, streamNames } from "../../../lib/model/kept-output.ts";
import { outputMessage } from "../../../lib/model/output-line.ts";
import type { JsonLog } from "../../../lib/service/json-log.ts";
import type { Masker } from "../secrets/masker.ts";

/** People see a line within half a second; so many lines share the cost of one. */
const everyMs = 100;
/** UTF-16 units of a piece: a log cuts longer fields. */
const pieceLength = 1_900;
/** So much is written without waiting for more. */
const muchLength = 64 * 1024;

/** `isInLine`: the end of the last line is not in the log yet. */
type Open = {
  decoder: TextDecoder;
  text: string;
  hasBegun: boolean;
  isAnswer: boolean;
  isInLine: boolean;
};

export class LiveOutput {
  readonly #log: JsonLog;
  readonly #masker: (() => Masker) | undefined;
  readonly #streams: Record<StreamName, Open> = { stdout: newStream(), stderr: newStream() };
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** `log`: has the claim and the attempt. `masker`: of the agent's secrets. */
  constructor(log: JsonLog, masker: (() => Masker) | undefined) {
    this.#log = log;
    this.#masker = masker;
  }

  readonly add = (name: StreamName, bytes: Uint8Array): void => {
    const stream = this.#streams[name];
    if (stream.isAnswer) return;
    stream.text += stream.decoder.decode(bytes, { stream: true });
    if (name === "stdout" && !stream.hasBegun) {
      const first = stream.text.trimStart()[0];
      stream.hasBegun = first !== undefined;
      // The answer is an artefact; where it turns out to be none, it is kept with the Failure.
      stream.isAnswer = first === "{";
      if (stream.isAnswer) stream.text = "";
    }
    if (stream.text.length >= muchLength) this.#write(name, false);
    else this.#timer ??= setTimeout(() => this.#writeAll(false), everyMs);
  };

  /** Writes the rest. The last line gets an end: readers may show whole lines alone. */
  end(): void {
    for (const stream of Object.values(this.#streams)) {
      const isInLine = stream.text === "" ? stream.isInLine : !stream.text.endsWith("\n");
      if (isInLine) stream.text += "\n";
    }
    this.#writeAll(true);
  }

  #writeAll(isEnd: boolean): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const name of streamNames) this.#write(name, isEnd);
  }

  #write(name: StreamName, isEnd: boolean): void {
    const stream = this.#streams[name];
    const { text } = stream;
    // A value of a secret is most often in one line, and is found in it as a whole.
    const end =
      this.#masker === undefined || isEnd || text.length >= 2 * muchLength
        ? text.length
        : Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r")) + 1;
    if (end === 0) return;
    stream.text = text.slice(end);
    stream.isInLine = text[end - 1] !== "\n";
    const shown = this.#masker?.().text(text.slice(0, end)) ?? text.slice(0, end);
    for (const piece of piecesOf(shown))
      this.#log.info(outputMessage, { stream: name, text: piece });
  }
}

function newStream(): Open {
  return {
    ...{ decoder: new TextDecoder(), text: "" },
    ...{ hasBegun: false, isAnswer: false, isInLine: false },
  };
}

/** They end between lines where they can, and within no character. */
function* piecesOf(text: string): Generator<string> {
  for (let from = 0; from < text.length; ) {
    let to = Math.min(text.length, from + pieceLength);
    if (to < text.length) {
      const lineEnd = text.lastIndexOf("\n", to - 1) + 1;
      if (lineEnd > from) to = lineEnd;
      else if (/[\uD800-\uDBFF]/.test(text[to - 1] ?? "")) to -= 1;
    }
    yield text.slice(from, to);
    from = to;
  }
}
