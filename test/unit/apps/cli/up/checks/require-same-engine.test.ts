import { expect, test } from "bun:test";
import { requireSameEngine } from "../../../../../../apps/cli/up/checks/require-same-engine.ts";
import { InstanceName } from "../../../../../../lib/model/ids.ts";
import { identityOfProcesses } from "../../../../../../lib/runtime/names.ts";
import { errorOf } from "../../../../../support/error-of.ts";

const instance = InstanceName.parse("demo");
const knowing = (engine: string | undefined, hasBeenUp = true) => ({
  instance,
  hasBeenUp: async () => hasBeenUp,
  readEngine: async () => engine,
});
const processes = identityOfProcesses("/home/ada/state/sett");

test.each([
  ["one", "two", "with another Docker Engine, and this one has nothing of it", "DOCKER_HOST"],
  ["one", undefined, "with a Docker Engine, where it may still be", "DOCKER_HOST"],
  ["one", processes, "with a Docker Engine, where it may still be", "DOCKER_HOST"],
  ...["two", undefined, identityOfProcesses("/root/sett")].map((now) => [
    processes,
    now,
    "as processes of /home/ada/state/sett, where it may still be",
    "Set XDG_STATE_HOME=/home/ada/state, where its processes are, or",
  ]),
])("what was up at %s is not begun a second time at %s", async (known, now, place, way) => {
  const engine = now === undefined ? {} : { identity: now };
  const error = await errorOf(() => requireSameEngine(engine, knowing(known)));
  expect([error.code, error.message]).toEqual(["instance-taken", `demo was up ${place}.`]);
  expect(error.hint).toContain(way ?? "");
  expect(error.hint).toContain("git config --unset sett.demo.engine");
});

test.each([
  ["the same Engine", "one", knowing("one")],
  ["the same processes", processes, knowing(processes)],
  ["none noted", "one", knowing(undefined)],
  ["no `sett up` that ended well", "two", knowing("one", false)],
])("with %s it is", async (_, identity, kept) => {
  await requireSameEngine({ identity }, kept);
});
