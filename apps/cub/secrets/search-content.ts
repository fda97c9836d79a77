// Looks for the values of secrets in what `workspace.prepare` has made: all grants see it, and what
// their agents write is not searched for secrets that are not their own.
import { Buffer } from "node:buffer";
import type { Path } from "../../../lib/folders/folder-entries.ts";
import { SettError } from "../../../lib/model/errors.ts";
import { Parts } from "./lines.ts";
import type { Masker } from "./masker.ts";

/** `command`: what has made it, for the sentence. `folder`: below which it is. */
export class SecretSearch {
  readonly #masker: Masker;
  readonly #folder: string;
  readonly #parts: Parts;
  #path: Path | undefined;
  #name = "";

  constructor(masker: Masker, command: string, folder: string) {
    this.#masker = masker;
    this.#folder = folder;
    this.#parts = new Parts((part, { place }) => {
      const secret = masker.find(part);
      if (secret === undefined) return;
      throw new SettError(
        "process-failed",
        `${command} has left the value of the secret ${secret} in ${place}, where each grant would see it. Let \`run\` remove it at its end.`,
      );
    });
  }

  /** The pieces of a file come one after another. Throws `process-failed`. */
  add(piece: Uint8Array, path: Path): void {
    if (path !== this.#path) this.#begin(path);
    this.#parts.add(piece, { commit: "", place: `\`${this.#name}\`` });
  }

  /** Throws `process-failed`. */
  end(): void {
    this.#parts.end();
  }

  #begin(path: Path): void {
    this.end();
    this.#path = path;
    const name = path.toString().slice(this.#folder.length + 1);
    this.#parts.add(Buffer.from(name), { commit: "", place: "the name of a file" });
    this.end();
    this.#name = this.#masker.text(name);
  }
}
