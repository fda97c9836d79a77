import { expect, test } from "bun:test";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, Socket } from "node:net";
import { untilAnswered } from "../../../../../lib/blackboard/redis/until-answered.ts";

async function listening() {
  let open = 0;
  const closed = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    open += 1;
    // The caller may reset what it closes.
    socket.on("error", () => {});
    socket.once("close", () => {
      open -= 1;
      if (open === 0) closed.resolve();
    });
    socket.resume();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    place: { host: "127.0.0.1", port },
    allClosed: closed.promise,
    [Symbol.dispose]: () => void server.close(),
  };
}

test("one connection is made to a server that answers, and none is left", async () => {
  using server = await listening();
  let dialled = 0;
  await untilAnswered(server.place, (place) => {
    dialled += 1;
    return connect(place);
  });
  await server.allClosed;
  expect(dialled).toBe(1);
});

test("where the first packets are lost the next one counts, and nothing is left", async () => {
  using server = await listening();
  const lost: Socket[] = [];
  await untilAnswered(server.place, (place) => {
    if (lost.length === 3) return connect(place);
    // It never connects, as one whose packet is lost.
    lost.push(new Socket());
    return lost.at(-1) as Socket;
  });
  expect(lost.map(({ destroyed }) => destroyed)).toEqual([true, true, true]);
});

test("a refusal is believed the second time", async () => {
  let place = { host: "127.0.0.1", port: 0 };
  {
    using server = await listening();
    place = server.place;
  }
  let dialled = 0;
  await untilAnswered(place, (to) => {
    dialled += 1;
    return connect(to);
  });
  expect(dialled).toBe(2);
});

test("a server that never answers is waited for no longer than the kernel would repeat", async () => {
  const began = performance.now();
  await untilAnswered({ host: "127.0.0.1", port: 1 }, () => new Socket());
  expect(performance.now() - began).toBeGreaterThan(1_400);
});
