// A service that is reached by TLS, and callers of it: those that may, and others.
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { systemClock } from "../../../lib/async/clock.ts";
import type { ProvenAddress } from "../../../lib/model/proven-address.ts";
import { authorityOf } from "../../../lib/reach/authority.ts";
import { dialProven } from "../../../lib/reach/dial.ts";
import { proofKeyOf } from "../../../lib/reach/keys.ts";
import { type Listening, listenProven } from "../../../lib/reach/listen.ts";
import { createJsonLog } from "../../../lib/service/json-log.ts";

export const serviceKey = "5e".repeat(32);
export const otherKey = "07".repeat(32);

/** Answers each connection with the way's name, and then with whatever it is sent. */
export async function openService(options: Partial<Listening> = {}) {
  const stack = new AsyncDisposableStack();
  const lines: string[] = [];
  /** The way of each connection that was passed on. */
  const passed: string[] = [];
  const echo = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on("error", () => undefined);
    socket.write(`${passed.at(-1)}:`);
    socket.pipe(socket);
  }).listen(0, "127.0.0.1");
  await once(echo, "listening");
  stack.defer(() => void echo.close());
  const { port: behind } = echo.address() as AddressInfo;
  const listener = stack.use(
    await listenProven({
      ...{ port: 0, hostname: "127.0.0.1", serviceKey, ways: ["coder", "tester"] },
      dial: (way) => {
        passed.push(way);
        return connect({ port: behind, host: "127.0.0.1", allowHalfOpen: true });
      },
      clock: systemClock,
      log: createJsonLog((line) => void lines.push(line), systemClock.now),
      ...options,
    }),
  );
  const { certificate: authority } = authorityOf(options.serviceKey ?? serviceKey);
  const addressOf = (way: string, more: Partial<ProvenAddress> = {}): ProvenAddress => ({
    ...{ host: "127.0.0.1", port: listener.port, way, key: proofKeyOf(serviceKey, way), authority },
    ...more,
  });
  const reasons = () => lines.map((line): string => JSON.parse(line).reason);
  return Object.assign(stack, { ...listener, passed, reasons, addressOf, behind });
}

/** Returns what a caller gets for `text`, and what is wrong where no connection was made. */
export async function call(address: ProvenAddress, text = "hello") {
  const problems: string[] = [];
  const { socket, isReady } = dialProven(address, (problem) => problems.push(problem));
  void isReady?.then(() => socket.end(text));
  return { answer: await everything(socket), problems };
}

/** Until it is closed, by an error as well. */
export async function everything(socket: Socket): Promise<string> {
  const parts: Uint8Array[] = [];
  socket.on("data", (part: Uint8Array) => void parts.push(part));
  socket.on("error", () => undefined);
  socket.once("end", () => socket.end());
  await new Promise<void>((resolve) => socket.once("close", () => resolve()));
  return Buffer.concat(parts).toString();
}
