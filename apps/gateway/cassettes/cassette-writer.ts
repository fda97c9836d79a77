// Writes recorded exchanges into a folder that people commit.
import { randomUUID } from "node:crypto";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SerialByKey } from "../../../lib/async/serial-by-key.ts";
import { clauseOf, messageOf, SettError } from "../../../lib/model/errors.ts";
import {
  type AskedModel,
  fileOf,
  makeExchange,
  printExchange,
} from "../../../lib/models/cassette/exchange.ts";
import type { JsonLog } from "../../../lib/service/json-log.ts";
import { exchangesOf } from "./read-cassettes.ts";

export type WriterDeps = {
  folder: string;
  /** The keys of all models: none is written. */
  readKeys: () => Promise<string[]>;
  log: JsonLog;
};

export type ReceivedAnswer = { status: number; contentType: string; body: Uint8Array };

export class CassetteWriter {
  readonly #deps: WriterDeps;
  /** One exchange of an agent at a time, so that each gets a number of its own. */
  readonly #writes = new SerialByKey<string>();

  constructor(deps: WriterDeps) {
    this.#deps = deps;
  }

  /** Throws `environment-invalid` where nothing can be written into the folder. */
  async check(): Promise<void> {
    const { folder } = this.#deps;
    const draft = join(folder, `.${randomUUID()}`);
    try {
      await mkdir(folder, { recursive: true });
      await writeFile(draft, "");
    } catch (error) {
      throw new SettError(
        "environment-invalid",
        `Exchanges cannot be recorded: ${clauseOf(error)}.`,
        {
          hint: "Name a folder with `sett up --record` that the repository's owner may write into.",
        },
      );
    }
    await rm(draft, { force: true });
  }

  /**
   * Resolves when the file is there, whole. Never rejects: the client has paid for its answer, and
   * gets it.
   */
  async write(question: AskedModel, answer: ReceivedAnswer): Promise<void> {
    try {
      await this.#writes.run(question.agent, () => this.#writeNext(question, answer));
    } catch (error) {
      this.#deps.log.error("Could not record an exchange with a model", {
        agent: question.agent,
        error: messageOf(error),
      });
    }
  }

  /** Numbers go on behind the files that are there. */
  async #writeNext(question: AskedModel, answer: ReceivedAnswer): Promise<void> {
    const { folder, readKeys } = this.#deps;
    const { agent } = question;
    await mkdir(join(folder, agent), { recursive: true });
    const numbers = (await exchangesOf(folder, agent)).map(
      ({ name }) => Number.parseInt(name, 10) || 0,
    );
    const order = Math.max(0, ...numbers) + 1;
    const exchange = makeExchange(question, { order, ...answer }, await readKeys());
    const draft = join(folder, agent, `.${randomUUID()}`);
    try {
      await writeFile(draft, printExchange(exchange));
      await rename(draft, join(folder, fileOf(exchange)));
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  }
}
