// What agents have delivered is fetched before `sett down` takes away what says where it is. `--volumes` takes it away for good.
import type { HostRepository } from "../../../lib/git/host-repository.ts";
import { messageOf, SettError } from "../../../lib/model/errors.ts";
import type { InstanceParts } from "../../../lib/runtime/port.ts";
import type { Shell } from "../terminal/shell.ts";
import { fetchResults, type Results, readResultsAt } from "./fetch-results.ts";
import { redisUrlOf } from "./place.ts";
import { Unfetched } from "./unfetched.ts";

/** `mustHave`: nothing may go on without them. */
type Order = { parts: InstanceParts; repository: HostRepository; mustHave: boolean };

export class LastResults {
  readonly #order: Order;
  readonly #shell: Shell;
  readonly #unfetched: Unfetched;
  #read: Results | undefined;

  constructor(order: Order, shell: Shell) {
    this.#order = order;
    this.#shell = shell;
    this.#unfetched = new Unfetched(order.repository.place, order.parts.instance);
  }

  /** Before anything is stopped. Throws where not all can be had. */
  async require(): Promise<void> {
    if (!this.#isAtStake()) return;
    if (this.#hasRun()) {
      await this.read();
      await this.fetch("Nothing was stopped.");
    } else if (await this.#unfetched.isNoted()) {
      throw this.#refusal("Nothing was removed.", "They could not be fetched when it went down.");
    }
  }

  /** While Redis runs. What it does not tell is said, or thrown. */
  async read(): Promise<void> {
    if (!this.#hasRun()) return;
    this.#read = undefined;
    const { parts } = this.#order;
    try {
      this.#read = await readResultsAt({ instance: parts.instance, redisUrl: redisUrlOf(parts) });
    } catch (error) {
      if (this.#isAtStake()) throw this.#refusal("Nothing was removed.", messageOf(error));
      this.#shell.messages.warn(`No commits were fetched, because what is on record cannot be read: ${messageOf(error)}`);
    }
  }

  /** What was read. `how` it stands where not all can be had and that is thrown. */
  async fetch(how = "Its parts are stopped, and nothing was removed."): Promise<void> {
    if (!this.#hasRun()) return;
    const { place } = this.#order.repository;
    const results = this.#read;
    const isDone = results !== undefined && (await fetchResults(this.#shell, place.toplevel, async () => results));
    if (isDone) return await this.#unfetched.forget();
    if (this.#isAtStake()) throw this.#refusal(how, "See above.");
    if (this.#order.repository.mayHoldResults()) await this.#unfetched.note();
  }

  /** To be called where all goes. */
  async forget(): Promise<void> {
    await this.#unfetched.forget();
  }

  /** What went down was fetched then. */
  #hasRun(): boolean {
    return this.#order.parts.containers.length > 0;
  }

  #isAtStake(): boolean {
    return this.#order.mustHave && this.#order.repository.mayHoldResults();
  }

  #refusal(how: string, reason: string): SettError {
    const { instance } = this.#order.parts;
    const message = `Results of ${instance}'s agents cannot be fetched, and --volumes would remove them. ${how} ${reason}`;
    return new SettError("not-ready", message, {
      hint: `\`sett up --name ${instance}\` starts what does not run; then try again. Or lose them: sett down --name ${instance} --volumes --force`,
    });
  }
}
