// A stream to a part, at a port that this machine reaches.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { messageOf, SettError } from "../model/errors.ts";
import type { ContainerPart } from "./port.ts";

/** `name`: of the part, for sentences. */
export async function connectTo(
  part: ContainerPart | undefined,
  name: string,
  port: number,
): Promise<Socket> {
  const published = part?.ports.find((one) => one.port === port);
  if (published === undefined)
    throw new SettError("not-ready", `This machine does not reach port ${port} of ${name}.`, {
      hint: part === undefined ? "There is no such part." : `It is ${part.state.state}.`,
    });
  const socket = connect({ host: "127.0.0.1", port: published.hostPort });
  try {
    await once(socket, "connect");
    return socket;
  } catch (cause) {
    socket.destroy();
    throw new SettError(
      "not-ready",
      `${name} does not answer at port ${port}: ${messageOf(cause)}`,
      {
        cause,
      },
    );
  }
}
