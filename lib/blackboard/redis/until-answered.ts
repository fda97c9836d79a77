// A network may lose the first packet of a connection. That of a cluster does so for half a second
// after a pod's start, until it knows that the pod may reach Redis, and the kernel sends the packet
// again only after a whole second. Others are sent here much sooner.
import { connect, type Socket } from "node:net";

const againMs = 50;
const limitMs = 1_500;

type Place = { host: string; port: number };

/**
 * Resolves when the server has accepted a connection, which is closed again, when two were refused,
 * or after a second and a half: the connection that is made then says what is wrong. An earlier try
 * goes on, since its answer may only have a long way. `dial`: other than of this machine.
 */
export async function untilAnswered(
  place: Place,
  dial: (place: Place) => Socket = connect,
): Promise<void> {
  const answered = Promise.withResolvers<void>();
  const sockets: Socket[] = [];
  let refused = 0;
  const begin = () => {
    const socket = dial(place);
    sockets.push(socket);
    socket.once("connect", () => answered.resolve());
    // One refusal alone may be that of the network.
    socket.on("error", () => {
      refused += 1;
      if (refused === 2) answered.resolve();
    });
  };
  begin();
  const again = setInterval(begin, againMs);
  const late = setTimeout(() => answered.resolve(), limitMs);
  await answered.promise;
  clearInterval(again);
  clearTimeout(late);
  for (const socket of sockets) socket.destroy();
}
