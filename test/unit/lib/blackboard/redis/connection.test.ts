import { expect, test } from "bun:test";
import { ConnectionTimeoutError } from "redis";
import type { Client } from "../../../../../lib/blackboard/redis/client.ts";
import { Connection } from "../../../../../lib/blackboard/redis/connection.ts";
import type { Repeat } from "../../../../../lib/blackboard/redis/connection-options.ts";
import { errorOf } from "../../../../support/error-of.ts";

/** Opens a connection whose tries end so, one after the other, and notes how long each may take. */
async function opened(ends: readonly (Error | undefined)[], giveUpMs?: number) {
  const allowed: [number, number][] = [];
  let tries = 0;
  const client = {
    connect: async () => {
      const end = ends[tries++];
      if (end !== undefined) throw end;
    },
    set: async () => null,
    on: () => {},
    destroy: () => {},
  } as unknown as Client;
  const makeClient = (_: string, connectMs: number, silenceMs: number) => {
    allowed.push([connectMs, silenceMs]);
    return client;
  };
  const opening = Connection.open({
    ...{ url: "redis://127.0.0.1:1", probeKey: "probe", timeoutMs: 60_000, giveUpMs },
    ...{ makeClient, onLost: () => {} },
  });
  const error = await errorOf(opening.then((connection) => connection.close())).catch(() => {});
  return { tries, problem: error?.message, allowed };
}

async function open(...ends: (Error | undefined)[]) {
  const { tries, problem } = await opened(ends);
  return { tries, problem };
}

const silence = () => new ConnectionTimeoutError();

test("a Redis that has said nothing is tried once more, since this process may have had no time", async () => {
  expect(await open(silence(), undefined)).toEqual({ tries: 2, problem: undefined });
  expect(await open(silence(), silence(), undefined)).toEqual({
    tries: 2,
    problem: "Redis does not answer at 127.0.0.1:1.",
  });
});

test("a sentence names the place to which a port of this machine only leads, and no port", async () => {
  const at = "sett-demo-redis, which is reached through the Docker Engine at ssh://build";
  const error = await errorOf(
    Connection.open({
      ...{ url: "redis://127.0.0.1:1", at, probeKey: "probe", timeoutMs: 60_000 },
      ...{ giveUpMs: undefined, onLost: () => {} },
    }),
  );
  expect(error).toMatchObject({
    message: `Redis cannot be reached at ${at}: nothing listens there.`,
    hint: "Is the instance up, and the way there whole? `sett list` and `sett logs redis` say.",
  });
});

test("a program that gives up soon tries it once more as well", async () => {
  expect(await opened([silence(), undefined], 0)).toMatchObject({ tries: 2, problem: undefined });
  expect(await opened([silence(), silence(), undefined], 0)).toMatchObject({ tries: 2 });
});

test("another failure of the first try is final", async () => {
  const refused = Object.assign(new Error("connect"), { code: "ECONNREFUSED" });
  expect(await open(refused, undefined)).toMatchObject({ tries: 1 });
});

test("a program that waits for Redis gives each try twice the time of one in which nothing came", async () => {
  const refused = Object.assign(new Error("connect"), { code: "ECONNREFUSED" });
  const ends = [silence(), refused, silence(), silence(), silence(), silence(), undefined];
  const { allowed, problem } = await opened(ends, 600_000);
  expect(problem).toBe(undefined);
  const minutes = [1, 2, 2, 4, 8, 10, 10];
  expect(allowed).toEqual(minutes.map((each) => [each * 60_000, each * 60_000 + 1_000]));
});

/** Does work that fails so often, as where its answers are lost. */
async function done(failures: number, repeat?: Repeat, onFailure = () => {}) {
  const client = {
    ...{ connect: async () => {}, set: async () => null, on: () => {}, destroy: () => {} },
  } as unknown as Client;
  const connection = await Connection.open({
    ...{ url: "redis://127.0.0.1:1", probeKey: "probe", timeoutMs: 50, giveUpMs: 600_000, repeat },
    ...{ makeClient: () => client, onLost: () => {} },
  });
  let tries = 0;
  const work = async () => {
    tries += 1;
    if (tries > failures) return tries;
    onFailure();
    throw new Error("Socket closed unexpectedly");
  };
  return await connection.run(work).finally(() => connection.close());
}

test("a call is repeated for as long as an answer may take, or for as long as its program says", async () => {
  const often = 6;
  expect(await errorOf(() => done(often))).toMatchObject({ code: "redis-unreachable" });
  expect(await done(often, { forMs: 600_000 })).toBe(often + 1);
});

test("an interruption ends the repeats", async () => {
  const over = new AbortController();
  const repeat = { forMs: 600_000, signal: over.signal };
  expect(await errorOf(() => done(1_000_000, repeat, () => over.abort()))).toMatchObject({
    code: "interrupted",
  });
});
