// `sett down` fetches the results of agents before it removes the record of them; `--volumes`
// removes that record for good.

import type { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import { messageOf, SettError } from "../../../lib/model/errors.ts";
import type { InstanceParts } from "../../../lib/runtime/port.ts";
import { shortId } from "../../../lib/words/short-id.ts";
import type { Shell } from "../terminal/shell.ts";
import {
  artefactOf,
  type FetchedResults,
  fetchResults,
  type Results,
  readResultsAt,
} from "./fetch-results.ts";
import { MissingResults } from "./missing-results.ts";
import { redisUrlsOf } from "./place.ts";

/** `mustHave`: `sett down` must stop where a result cannot be fetched. */
type Options = { parts: InstanceParts; repository: HostRepository; mustHave: boolean };

const maxNamed = 3;

export class LastResults {
  readonly #options: Options;
  readonly #shell: Shell;
  readonly #missing: MissingResults;
  #read: Results | undefined;
  /**
   * The results that the last fetch has found to be gone; their agents may run, and cannot give
   * them any more.
   */
  #broken: FetchedResults["broken"] = [];

  constructor(options: Options, shell: Shell) {
    this.#options = options;
    this.#shell = shell;
    this.#missing = new MissingResults(options.repository.place, options.parts.instance);
  }

  /** Call this before anything is stopped. Throws where a result cannot be fetched. */
  async require(): Promise<void> {
    if (!(await this.#isAtStake())) return;
    if (this.#hasRun()) {
      await this.read();
      await this.fetch("Nothing was stopped.");
    } else if (await this.#missing.isNoted()) {
      throw this.#refusal("Nothing was removed.", "`sett down` could not fetch them.");
    }
  }

  /** Reads the record; Redis must run. Warns or throws where it cannot be read. */
  async read(): Promise<void> {
    if (!this.#hasRun()) return;
    this.#read = undefined;
    const { parts } = this.#options;
    try {
      this.#read = await readResultsAt({ instance: parts.instance, ...redisUrlsOf(parts) });
    } catch (error) {
      if (await this.#isAtStake()) throw this.#refusal("Nothing was removed.", messageOf(error));
      this.#shell.messages.warn(
        `No commits were fetched, because the record of them cannot be read: ${messageOf(error)}`,
      );
    }
  }

  /**
   * Fetches what was read. Where a result is missing it throws, if results are at stake; `stage`
   * says how far `sett down` has got.
   */
  async fetch(stage = "The instance is stopped, and nothing was removed."): Promise<void> {
    if (!this.#hasRun()) return;
    const { place } = this.#options.repository;
    const results = this.#read;
    const fetched =
      results && (await fetchResults(this.#shell, place.toplevel, async () => results));
    if (fetched?.isWhole) return await this.#missing.forget();
    this.#broken = fetched?.broken ?? [];
    if (await this.#isAtStake()) throw this.#refusal(stage, "The reason is above.");
    if (await this.#mayBeLeft()) await this.#missing.note();
  }

  /** Call this when the whole instance is removed. */
  async forget(): Promise<void> {
    await this.#missing.forget();
  }

  /** Without containers the instance is down already, and its results were fetched then. */
  #hasRun(): boolean {
    return this.#options.parts.containers.length > 0;
  }

  async #isAtStake(): Promise<boolean> {
    return this.#options.mustHave && (await this.#mayBeLeft());
  }

  #mayBeLeft(): Promise<boolean> {
    const { repository, parts } = this.#options;
    return repository.exchange(parts.instance).mayHoldResults();
  }

  #refusal(stage: string, reason: string): SettError {
    const { instance } = this.#options.parts;
    const message = `Results of ${instance}'s agents cannot be fetched, and --volumes would remove them. ${stage} ${reason}`;
    const lose = `sett down --name ${instance} --volumes --force`;
    if (this.#broken.length === 0) {
      const hint = `\`sett up --name ${instance}\` starts the parts that do not run; then try again. To lose these results: ${lose}`;
      return new SettError("not-ready", message, { hint });
    }
    const names = this.#broken
      .slice(0, maxNamed)
      .map(({ ref, agent }) => `${shortId(artefactOf(ref))}${agent && ` of ${agent}`}`);
    const more =
      this.#broken.length > maxNamed ? ` and ${this.#broken.length - maxNamed} more` : "";
    const hint = `Where the reasons do not change, ${names.join(", ")}${more} ${this.#broken.length === 1 ? "is" : "are"} lost already, and all others are fetched: ${lose}`;
    return new SettError("not-ready", message, { hint });
  }
}
