// The Redis of an instance that is elsewhere: what runs it starts it again by itself.
import { waitFor } from "../support/wait-for.ts";
import type { Part } from "./supervised.ts";
import type { ChaosRedis } from "./world.ts";

/** `cli`: redis-cli with these words, past whatever breaks. */
export function redisElsewhere(url: string, cli: ChaosRedis["cli"], part: Part): ChaosRedis {
  const answers = () =>
    cli("PING").then(
      (answer) => answer === "PONG",
      () => false,
    );
  let thaw: Awaited<ReturnType<Part["freeze"]>> | undefined;
  return {
    ...{ url, cli },
    kill: async () => {
      const isWritten = async () =>
        !/aof_buffer_length:[1-9]/.test(await cli("INFO", "persistence").catch(() => ""));
      if (thaw === undefined) await waitFor("Redis to have written its file", isWritten);
      await part.kill();
    },
    start: async () => void (await waitFor("Redis to answer", answers)),
    freeze: async () => {
      thaw = await part.freeze();
    },
    unfreeze: async () => {
      await thaw?.();
      thaw = undefined;
    },
  };
}
