// The log of one container: what comes after an Engine that was away, and where it ends.
import { expect, test } from "bun:test";
import { followContainer } from "../../../../lib/logs/follow-container.ts";
import { SettError } from "../../../../lib/model/errors.ts";
import type { ContainerPart, LogLine } from "../../../../lib/runtime/port.ts";
import { errorOf } from "../../../support/error-of.ts";

const away = new SettError("docker-unreachable", "The Docker Engine does not answer.");
const at = (second: number, line: string): LogLine => ({
  ...{ stream: "stdout", line },
  time: `2026-01-01T00:00:0${second}.5Z`,
});
/** Each try to read is one of these, and a container's state after the last one. */
type Try = { lines: LogLine[]; fails?: Error };

function engine(tries: Try[], states: (string | Error | undefined)[]) {
  const positions: (number | undefined)[] = [];
  return {
    positions,
    async *logs(_: string, { since }: { since?: number } = {}) {
      positions.push(since);
      const { lines, fails } = tries.shift() ?? { lines: [] };
      yield* lines;
      if (fails !== undefined) throw fails;
    },
    async find() {
      const state = states.shift();
      if (state instanceof Error) throw state;
      return state === undefined ? undefined : ({ state: { state } } as unknown as ContainerPart);
    },
  };
}

async function followed(
  tries: Try[],
  states: (string | Error | undefined)[],
  waits = true,
): Promise<{ seen: string[]; said: string[]; positions: (number | undefined)[] }> {
  const said: string[] = [];
  const notes = {
    away: ({ message }: Error) => void said.push(message),
    back: () => void said.push("back"),
  };
  const observe = engine(tries, states);
  const seen: string[] = [];
  const { signal } = new AbortController();
  const options = waits ? { notes } : {};
  for await (const { line } of followContainer(observe, "one", options, signal)) seen.push(line);
  return { seen, said, positions: observe.positions };
}

test("each line comes once where the Engine was away in the midst, and both are said once", async () => {
  const [one, two, three] = [at(1, "one"), at(2, "two"), at(2, "three")];
  const tries = [{ lines: [one, two], fails: away }, { lines: [one, two, three] }];
  const { seen, said, positions } = await followed(tries, [away, away, "running", "exited"]);
  expect(seen).toEqual(["one", "two", "three"]);
  expect(said).toEqual([away.message, "back"]);
  expect(positions).toEqual([undefined, Date.parse("2026-01-01T00:00:02Z") / 1_000]);
});

test("it ends where the container went while the Engine was away", async () => {
  const { seen, said } = await followed([{ lines: [at(1, "one")], fails: away }], [undefined]);
  expect(seen).toEqual(["one"]);
  expect(said).toEqual([away.message, "back"]);
});

test("without notes it waits for no Engine, and with them for nothing else", async () => {
  const other = new SettError("docker-failed", "It refuses.");
  expect(await errorOf(followed([{ lines: [], fails: away }], [], false))).toBe(away);
  expect(await errorOf(followed([{ lines: [], fails: other }], []))).toBe(other);
});
