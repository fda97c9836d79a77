// A connection of the simulation ends with the server that it was made to, as one of the network
// does.
import { expect, test } from "bun:test";
import { InstanceName } from "../../lib/model/ids.ts";
import { randomOf } from "../chaos/random.ts";
import { Life } from "./life.ts";
import { Scheduler } from "./scheduler.ts";
import { SimulatedClient } from "./simulated-client.ts";
import { SimulatedRedis } from "./simulated-redis.ts";

test("what a program says on a connection whose Redis is gone reaches no later Redis, and the program hears nothing of it", async () => {
  const scheduler = new Scheduler(randomOf(1), new Life("world", 0));
  const redis = new SimulatedRedis(scheduler, randomOf(2), InstanceName.parse("lost"), [1, 2]);
  const connection = new SimulatedClient(redis, scheduler.life, { silenceMs: 0, connectMs: 100 });
  const { client } = connection;
  const received: string[] = [];
  const connecting = client.connect();
  scheduler.run(() => false, 10);
  await connecting;
  void client.subscribe("hints", (text) => received.push(text)).catch(() => {});
  scheduler.run(() => false, 20);
  redis.hand("PUBLISH", "hints", "while it is up");
  scheduler.run(() => false, 25);
  // The program is frozen, and so has not noticed that the connection is broken.
  connection.life.pause();
  redis.crash();
  redis.restart();
  const sent = client.set("key", "value").catch((error: Error) => error.message);
  redis.hand("PUBLISH", "hints", "later");
  scheduler.run(() => false, 30);
  scheduler.resume(connection.life);
  scheduler.run(() => false, 40);
  expect(received).toEqual(["while it is up"]);
  expect(await sent).toBe("Socket closed unexpectedly");
  expect(redis.hand("EXISTS", "key")).toBe(0);
});
