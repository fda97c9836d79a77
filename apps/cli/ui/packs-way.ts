// The way of the API of `sett ui` to the service of packs of an instance that has one. Its port
// changes whenever it starts again: the API keeps one address, and this program looks for the other
// for each connection.
import { Socket } from "node:net";
import type { InstanceName } from "../../../lib/model/ids.ts";
import { forwardTo, onLoopback } from "../../../lib/service/forward.ts";
import { gitOf } from "../instance/packs-place.ts";
import type { Shell } from "../terminal/shell.ts";

/** The variables of the API; none where the instance has no such service. */
export async function packsWay(
  shell: Shell,
  instance: InstanceName,
): Promise<Record<string, string>> {
  const find = async () => {
    const found = await gitOf(shell).packsOf(instance);
    return found === "starting" ? undefined : found;
  };
  const first = await find();
  if (first?.token === undefined) return {};
  const server = forwardTo(() => {
    const socket = new Socket({ allowHalfOpen: true });
    const isReady = new Promise<void>((resolve) => socket.once("connect", resolve));
    void find().then(
      (service) => {
        if (service === undefined) return socket.destroy();
        const { hostname, port } = new URL(service.url);
        return socket.connect({ host: hostname, port: Number(port) });
      },
      () => socket.destroy(),
    );
    return { socket, isReady };
  });
  return { SETT_PACKS_URL: await onLoopback(server), SETT_PACKS_TOKEN: first.token };
}
