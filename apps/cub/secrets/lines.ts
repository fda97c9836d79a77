// Divides what git writes into lines, and passes on what is searched in parts that overlap.
import { Buffer } from "node:buffer";

const partBytes = 1024 * 1024;
/** The overlap of one part with the next one: longer than any piece of a value in any encoding. */
const overlapBytes = 4096;
const newline = 10;

/** The place that a part is from. */
export type Origin = { commit: string; place: string };

/** Parts of different origins do not overlap. */
export class Parts {
  readonly #onPart: (part: Uint8Array, origin: Origin) => void;
  #origin: Origin = { commit: "", place: "" };
  #part: Uint8Array[] = [];
  #bytes = 0;

  constructor(onPart: (part: Uint8Array, origin: Origin) => void) {
    this.#onPart = onPart;
  }

  add(chunk: Uint8Array, origin: Origin): void {
    if (origin.commit !== this.#origin.commit || origin.place !== this.#origin.place) this.end();
    this.#origin = origin;
    this.#part.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes < partBytes) return;
    const part = this.#pass();
    this.#part = [part.subarray(-overlapBytes)];
  }

  end(): void {
    if (this.#part.length > 0) this.#pass();
  }

  #pass(): Uint8Array {
    const part = Buffer.concat(this.#part);
    this.#part = [];
    this.#bytes = 0;
    this.#onPart(part, this.#origin);
    return part;
  }
}

/** `onLine` gets each line with its newline; the last one may have none. */
export class Lines {
  readonly #onLine: (line: Uint8Array) => void;
  #line: Uint8Array[] = [];

  constructor(onLine: (line: Uint8Array) => void) {
    this.#onLine = onLine;
  }

  add(chunk: Uint8Array): void {
    let from = 0;
    for (let to = chunk.indexOf(newline); to >= 0; to = chunk.indexOf(newline, from)) {
      this.#end(chunk.subarray(from, to + 1));
      from = to + 1;
    }
    if (from < chunk.length) this.#line.push(chunk.subarray(from));
  }

  end(): void {
    if (this.#line.length > 0) this.#end(new Uint8Array());
  }

  #end(rest: Uint8Array): void {
    const line = this.#line.length === 0 ? rest : Buffer.concat([...this.#line, rest]);
    this.#line = [];
    this.#onLine(line);
  }
}
