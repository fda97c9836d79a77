// Passes what comes to its standard input on to a port of its own machine, and back: for
// a machine that no port of this one leads to.
import { once } from "node:events";
import { connect } from "node:net";
import process from "node:process";

export async function passOn(port: number): Promise<void> {
  const socket = connect({ host: "127.0.0.1", port, allowHalfOpen: true });
  process.stdin.pipe(socket);
  socket.pipe(process.stdout);
  await once(socket, "close");
}
