// Connects to a host at the first of its addresses that answers.
import { connect, type Socket } from "node:net";

const connectMs = 10_000;

/**
 * Rejects with the failure of the last address, and with the reason of `signal`, after which no
 * connection stays.
 */
export async function openUpstream(
  addresses: readonly string[],
  port: number,
  signal: AbortSignal,
): Promise<Socket> {
  let failure: unknown;
  for (const host of addresses) {
    signal.throwIfAborted();
    try {
      return await opened(host, port, signal);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}

function opened(host: string, port: number, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port });
    const leave = () => socket.destroy(signal.reason);
    signal.addEventListener("abort", leave);
    const timer = setTimeout(() => socket.destroy(new Error("no answer within 10 s")), connectMs);
    socket.once("error", reject);
    socket.once("connect", () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", leave);
      socket.off("error", reject);
      resolve(socket);
    });
    socket.once("close", () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", leave);
      reject(new Error("the connection was closed"));
    });
  });
}
