// A witness (c2sp.org/tlog-witness) in this process: it signs what goes on from what it has seen.
import { readCheckpoint, readHashes } from "../../../lib/proof/formats.ts";
import { isBeginning } from "../../../lib/proof/merkle.ts";
import { openNote, type VerifierKey } from "../../../lib/proof/note.ts";
import { newWitness } from "./outside-bundles.ts";

export class PlayedWitness implements Disposable {
  readonly witness = newWitness("played.example");
  readonly #server: Bun.Server<undefined>;
  /** The log that it knows. */
  key: VerifierKey | undefined;
  seen: { size: number; root: Uint8Array } | undefined;
  /** The time by its clock. */
  at = new Date();

  constructor() {
    this.#server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: async (request) => this.#answer(await request.text()),
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}`;
  }

  #answer(body: string): Response {
    const end = body.indexOf("\n\n");
    const [first = "", ...lines] = body.slice(0, end).split("\n");
    const note = body.slice(end + 2);
    const text = this.key && openNote(note, this.key);
    const shown = readCheckpoint(text ?? "");
    if (text === undefined || shown === undefined) return new Response("", { status: 404 });
    const known = this.seen?.size ?? 0;
    if (first !== `old ${known}`) return new Response(`${known}\n`, { status: 409 });
    const path = readHashes(lines.map((line) => `${line}\n`).join("")) ?? [];
    if (this.seen !== undefined && !isBeginning(this.seen, shown, path))
      return new Response("", { status: 422 });
    this.seen = shown;
    const seconds = Math.floor(this.at.getTime() / 1_000);
    return new Response(this.witness.line(text, new Date(seconds * 1_000)));
  }

  [Symbol.dispose](): void {
    this.#server.stop(true);
  }
}
