// The way of the API of `sett ui` to logs and to what commands have printed.
import { expect, test } from "bun:test";
import { openLogs } from "../../../apps/api/logs.ts";
import { openOutputs } from "../../../apps/api/outputs.ts";
import { serveReader } from "../../../apps/cli/ui/reader-way.ts";
import { SettError } from "../../../lib/model/errors.ts";
import { GoalId } from "../../../lib/model/ids.ts";
import { createJsonLog } from "../../../lib/service/json-log.ts";

const log = createJsonLog(
  () => {},
  () => new Date(),
);

const goal = GoalId.parse("00000000-0000-4000-8000-000000000001");
const digest = "ab".repeat(32);
const source = {
  names: async () => ["coder"],
  read: async (name: string) =>
    name === "coder"
      ? (async function* () {
          yield "one";
          yield "two";
        })()
      : undefined,
};

async function apiOf(ways: Record<string, string>) {
  const logs = { url: ways.SETT_LOGS_URL, processes: undefined };
  return {
    logs: await openLogs({ logs, instance: "demo" } as never, {}, log),
    readOutput: await openOutputs(ways.SETT_RECORDER_URL, log),
  };
}

test("the API of `sett ui` reads logs and outputs by the command, whatever runtime has them", async () => {
  const read = async (of: GoalId, named: string) =>
    of === goal && named === digest ? new TextEncoder().encode("printed\n") : undefined;
  await using reader = serveReader(source, read);
  const { logs, readOutput } = await apiOf(reader.ways);
  const options = { tail: 10, follow: false, signal: new AbortController().signal };
  const lines = async (name: string) => {
    const found: string[] = [];
    for await (const line of logs?.read(name, options) ?? []) found.push(line);
    return found;
  };
  expect(await lines("coder")).toEqual(["one", "two"]);
  await expect(lines("no-such")).rejects.toThrow("It has coder.");
  expect(new TextDecoder().decode(await readOutput?.({ goal, digest }))).toBe("printed\n");
  expect(await readOutput?.({ goal, digest: "cd".repeat(32) })).toBeUndefined();
  const { origin } = new URL(reader.ways.SETT_LOGS_URL ?? "");
  for (const path of ["parts", "parts/coder/log", `outputs/${goal}/${digest}`])
    expect((await fetch(`${origin}/${path}`)).status).toBe(404);
});

test("a recorder that does not run is said by the API of `sett ui` as such", async () => {
  await using reader = serveReader(source, async () => {
    throw new SettError("not-ready", "The recorder of demo does not run.");
  });
  const { readOutput } = await apiOf(reader.ways);
  await expect(readOutput?.({ goal, digest })).rejects.toThrow("it answers 503");
});
