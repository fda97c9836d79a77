// The certificate of a running service, which it renews by itself: a service may run for years, and
// `sett up` need not run again.
import type { Clock } from "../async/clock.ts";
import { type Authority, authorityOf, type Certificate } from "./authority.ts";

const dayMs = 24 * 3_600_000;
const lifetimeMs = 30 * dayMs;
const renewedAfterMs = lifetimeMs / 3;
/** The clock of a caller may be behind. */
const earlierMs = dayMs;

export class OwnCertificate {
  readonly #authority: Authority;
  readonly #clock: Clock;
  #madeMs = 0;
  #current: Certificate;

  constructor(serviceKey: string, clock: Clock) {
    this.#authority = authorityOf(serviceKey);
    this.#clock = clock;
    this.#current = this.#make();
  }

  get current(): Certificate {
    return this.#current;
  }

  /** Undefined while the certificate is young. A clock that was set back makes it new, too. */
  renewed(): Certificate | undefined {
    const age = this.#clock.now().getTime() - this.#madeMs;
    if (age >= 0 && age < renewedAfterMs) return undefined;
    this.#current = this.#make();
    return this.#current;
  }

  #make(): Certificate {
    this.#madeMs = this.#clock.now().getTime();
    return this.#authority.issue({
      notBefore: new Date(this.#madeMs - earlierMs),
      notAfter: new Date(this.#madeMs + lifetimeMs),
    });
  }
}
