// Ports of this machine that lead to a pod through the API server, as long as this program runs.
import type { Duplex } from "node:stream";
import { listenFor } from "../led-port.ts";

/** The same port each time. `open`: a stream to what is behind it, for each connection. */
export class LedPorts {
  readonly #known = new Map<string, Promise<number>>();
  readonly #open = new Set<Duplex>();

  async leadTo(key: string, open: () => Promise<Duplex>): Promise<number> {
    const counted = async () => {
      const stream = await open();
      this.#open.add(stream);
      stream.once("close", () => this.#open.delete(stream));
      return stream;
    };
    const found = this.#known.get(key) ?? listenFor(counted);
    this.#known.set(key, found);
    return await found;
  }

  /** A WebSocket that is open keeps its program from its end, whatever it is for. */
  closeAll(): void {
    for (const stream of this.#open) stream.destroy();
  }
}
