// Connections that have not proven yet who calls. They are bounded in time, and in number for each
// address, so that a caller who opens many leaves others their connections.
import type { Socket } from "node:net";

type Peer = Pick<Socket, "remoteAddress" | "remotePort">;
type Timer = ReturnType<typeof setTimeout>;

/** `most`: for one address. `patienceMs`: until `leave`. */
export type Bounds = { most: number; patienceMs: number };

export class Newcomers {
  readonly #bounds: Bounds;
  /** By address and port of the caller. */
  readonly #byAddress = new Map<string, Map<number, Timer>>();

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  /** Returns false where there are too many already. `onLate`: it has not left in time. */
  admit({ remoteAddress = "", remotePort = 0 }: Peer, onLate: () => void): boolean {
    const { most, patienceMs } = this.#bounds;
    const ofAddress = this.#byAddress.get(remoteAddress) ?? new Map<number, Timer>();
    if (ofAddress.size >= most) return false;
    this.#byAddress.set(remoteAddress, ofAddress);
    ofAddress.set(remotePort, setTimeout(onLate, patienceMs).unref());
    return true;
  }

  /** It has proven who calls, or has gone. Called again it does nothing. */
  leave({ remoteAddress = "", remotePort = 0 }: Peer): void {
    const ofAddress = this.#byAddress.get(remoteAddress);
    clearTimeout(ofAddress?.get(remotePort));
    ofAddress?.delete(remotePort);
    if (ofAddress?.size === 0) this.#byAddress.delete(remoteAddress);
  }
}
