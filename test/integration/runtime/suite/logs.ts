// Shows what containers say, line by line, once and while it happens.
import { expect, test } from "bun:test";
import type { LogLine } from "../../../../lib/runtime/port.ts";
import type { RuntimeBench } from "./bench.ts";

async function all(lines: AsyncIterable<LogLine>): Promise<LogLine[]> {
  const list: LogLine[] = [];
  for await (const line of lines) list.push(line);
  return list;
}

const stdoutOf = (lines: LogLine[]) =>
  lines.filter(({ stream }) => stream === "stdout").map(({ line }) => line);
const stderrOf = (lines: LogLine[]) =>
  lines.filter(({ stream }) => stream === "stderr").map(({ line }) => line);

export function logsSuite(open: () => Promise<RuntimeBench>, rarely: typeof test): void {
  test("the logs of a stopped container are read line by line, its two streams apart", async () => {
    await using sett = await open();
    const { id } = await sett.run(
      "echo out 1; echo; echo out 2; echo err 1 >&2; echo äöü >&2; printf unfinished",
    );
    await sett.runtime.workers.wait(id);
    const lines = await all(sett.runtime.observe.logs(id));
    expect(stdoutOf(lines)).toEqual(["out 1", "", "out 2", "unfinished"]);
    expect(stderrOf(lines)).toEqual(["err 1", "äöü"]);
    for (const { time } of lines)
      expect(Math.abs(Date.parse(time) - Date.now())).toBeLessThan(3_600_000);
    // Which of the two streams has the last word is not certain.
    expect(await all(sett.runtime.observe.logs(id, { tail: 1, follow: true }))).toEqual(
      lines.slice(-1),
    );
  });

  test("a line longer than the engine's own pieces comes whole", async () => {
    await using sett = await open();
    const { id } = await sett.run(`printf 'ü%.0s' $(seq 1 30000); echo; echo next`);
    await sett.runtime.workers.wait(id);
    expect(stdoutOf(await all(sett.runtime.observe.logs(id)))).toEqual([
      "ü".repeat(30_000),
      "next",
    ]);
  });

  test("following gives what was said before and after, and ends when the container ends", async () => {
    await using sett = await open();
    const go = `/tmp/${sett.name("go")}`;
    const { id } = await sett.run(
      `echo before; until test -e ${go}; do sleep 0.02; done; rm ${go}; echo after`,
    );
    const seen: string[] = [];
    for await (const { line } of sett.runtime.observe.logs(id, { follow: true })) {
      seen.push(line);
      if (line === "before") await sett.runtime.observe.exec(id, ["/bin/touch", go]);
    }
    expect(seen).toEqual(["before", "after"]);
  });

  rarely("lines from before `since` are left out", async () => {
    await using sett = await open();
    const { id } = await sett.run("echo old; sleep 1.1; echo new");
    await sett.runtime.workers.wait(id);
    const [old] = await all(sett.runtime.observe.logs(id));
    const since = Date.parse(old?.time ?? "") / 1000 + 0.5;
    expect(stdoutOf(await all(sett.runtime.observe.logs(id, { since })))).toEqual(["new"]);
  });

  rarely("an abort ends a followed log without an error", async () => {
    await using sett = await open();
    const { id } = await sett.run("echo hello; sleep 600");
    const stop = new AbortController();
    const seen: string[] = [];
    for await (const { line } of sett.runtime.observe.logs(id, {
      follow: true,
      signal: stop.signal,
    })) {
      seen.push(line);
      stop.abort();
    }
    expect(seen).toEqual(["hello"]);
    expect(await all(sett.runtime.observe.logs(id, { signal: AbortSignal.abort() }))).toEqual([]);
  });

  rarely("leaving a followed log early closes it", async () => {
    await using sett = await open();
    const { id } = await sett.run("while :; do echo again; sleep 0.01; done");
    for await (const { line } of sett.runtime.observe.logs(id, { follow: true })) {
      expect(line).toBe("again");
      break;
    }
  });

  test("the logs of a container that is not there are an error", async () => {
    await using sett = await open();
    const name = sett.name("unknown");
    const expected = {
      code: sett.refusal,
      message: expect.stringContaining(`${name} to read the logs of.`),
    };
    await expect(all(sett.runtime.observe.logs(name))).rejects.toMatchObject(expected);
    await expect(all(sett.runtime.observe.logs(name, { follow: true }))).rejects.toMatchObject(
      expected,
    );
  });
}
