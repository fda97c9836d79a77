// Shows who of this machine reaches what agents leave in the exchange.
import { expect, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import { createExchange, exchangePath } from "../../../lib/git/exchange/exchange.ts";
import { findRepository } from "../../../lib/git/run/find-repository.ts";
import {
  agentName,
  hostEnv,
  instance,
  sampleRepository,
} from "../../support/git/sample-repository.ts";

async function modesOf({ isSameUser }: { isSameUser: boolean }): Promise<string[]> {
  using host = sampleRepository();
  const found = await findRepository({ path: "git", env: hostEnv }, host.path);
  const other = { uid: found.owner.uid + 1, gid: found.owner.gid };
  const place = { ...found, containerUser: isSameUser ? found.owner : other };
  await createExchange(place, instance, { writers: [], writer: found.owner });
  // Also where it is there already.
  await createExchange(place, instance, { writers: [agentName], writer: found.owner });
  const path = exchangePath(place, instance);
  return [join(path, ".."), path, join(path, agentName)].map((folder) =>
    (statSync(folder).mode & 0o777).toString(8),
  );
}

test("a program that an agent leaves there as its owner's is out of reach for other users", async () => {
  expect(await modesOf({ isSameUser: true })).toEqual(["700", "755", "755"]);
});

test("where agents work as a user of their own, that one reaches it from the API as well", async () => {
  expect(await modesOf({ isSameUser: false })).toEqual(["755", "755", "755"]);
});
