// A connection of the simulation ends with the server that it was made to, as one of the network
// does.
import { expect, test } from "bun:test";
import { InstanceName } from "../../lib/model/ids.ts";
import { randomOf } from "../chaos/random.ts";
import { Life } from "./life.ts";
import { Scheduler } from "./scheduler.ts";
import { SimulatedRedis } from "./simulated-redis.ts";

test("what a program says on a connection whose Redis is gone reaches no later Redis, and the program hears nothing of it", async () => {
  const scheduler = new Scheduler(randomOf(1), new Life("world", 0));
  const redis = new SimulatedRedis(scheduler, randomOf(2), InstanceName.parse("lost"), [1, 2]);
  const client = redis.makeClient(0, 100);
  const received: string[] = [];
  const connecting = client.connect();
  scheduler.run(() => false, 10);
  await connecting;
  void client.subscribe("hints", (text) => received.push(text)).catch(() => {});
  scheduler.run(() => false, 20);
  // The program is frozen, and so has not noticed that the connection is broken.
  client.life.pause();
  redis.crash();
  redis.restart();
  const sent = client
    .request("probe", () => received.push("probe"))
    .catch((error: Error) => error.message);
  for (const listener of redis.state.artefactListeners) listener("artefact" as never);
  scheduler.run(() => false, 30);
  scheduler.resume(client.life);
  scheduler.run(() => false, 40);
  expect(received).toEqual([]);
  expect(await sent).toBe("Socket closed unexpectedly");
});
