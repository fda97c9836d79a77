import { expect, test } from "bun:test";
import { ConnectionTimeoutError } from "redis";
import type { Client } from "../../../../../lib/blackboard/redis/client.ts";
import { Connection } from "../../../../../lib/blackboard/redis/connection.ts";
import { errorOf } from "../../../../support/error-of.ts";

/** Opens a connection whose tries end so, one after the other, and counts them. */
async function open(...ends: (Error | undefined)[]) {
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
  const opening = Connection.open({
    ...{ url: "redis://127.0.0.1:1", probeKey: "probe", timeoutMs: 60_000, giveUpMs: undefined },
    ...{ makeClient: () => client, onLost: () => {} },
  });
  const error = await errorOf(opening.then((connection) => connection.close())).catch(() => {});
  return { tries, problem: error?.message };
}

const silence = () => new ConnectionTimeoutError();

test("a Redis that has said nothing is tried once more, since this process may have had no time", async () => {
  expect(await open(silence(), undefined)).toEqual({ tries: 2, problem: undefined });
  expect(await open(silence(), silence(), undefined)).toEqual({
    tries: 2,
    problem: "Redis does not answer at 127.0.0.1:1.",
  });
});

test("another failure of the first try is final", async () => {
  const refused = Object.assign(new Error("connect"), { code: "ECONNREFUSED" });
  expect(await open(refused, undefined)).toMatchObject({ tries: 1 });
});
