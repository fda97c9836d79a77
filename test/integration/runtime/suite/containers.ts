// The life of one container: started, waited for, looked into, stopped, renamed.
import { expect, test } from "bun:test";
import type { Attend, Attended } from "../../../../lib/runtime/port.ts";
import { waitFor } from "../../../support/wait-for.ts";
import type { RuntimeBench } from "./bench.ts";

/** A person who types this; on a terminal of that size, if any. */
function attended(
  typed: string,
  size?: { columns: number; rows: number },
): Attended & { printed(): { stdout: string; stderr: string } } {
  const bytes = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
  const textOf = (pieces: Uint8Array[]) => Buffer.concat(pieces).toString();
  return {
    input: (async function* () {
      yield new TextEncoder().encode(typed);
      // A terminal stays open.
      if (size !== undefined) await new Promise(() => {});
    })(),
    onOutput: async (stream, piece) => void bytes[stream].push(piece),
    terminal: size && {
      size: () => size,
      onResize: () => ({ [Symbol.dispose]: () => {} }),
    },
    printed: () => ({ stdout: textOf(bytes.stdout), stderr: textOf(bytes.stderr) }),
  };
}

function attend({ runtime }: RuntimeBench, ...order: Parameters<Attend>): Promise<number> {
  if (runtime.attend === undefined) throw new Error("No person can be at a command there.");
  return runtime.attend(...order);
}

export function containersSuite(open: () => Promise<RuntimeBench>, rarely: typeof test): void {
  test("a name that is in use is an instance-taken", async () => {
    await using sett = await open();
    await sett.run("sleep 600", { name: sett.name("redis") });
    await expect(sett.run("sleep 600", { name: sett.name("redis") })).rejects.toMatchObject({
      code: "instance-taken",
    });
  });

  rarely(
    "a container whose command is missing starts, and ends at once with 127 and the reason in its log",
    async () => {
      await using sett = await open();
      const { id } = await sett.run("", { entrypoint: ["/no/such/program"] });
      expect(await sett.runtime.workers.wait(id)).toBe(127);
      const lines: string[] = [];
      for await (const { line } of sett.runtime.observe.logs(id)) lines.push(line);
      expect(lines.join()).toContain("/no/such/program");
    },
  );

  test("exec gives exit code and both streams apart, and passes input to its end", async () => {
    await using sett = await open();
    const { id } = await sett.run("sleep 600");
    const { exec } = sett.runtime.observe;
    expect(await exec(id, ["/bin/sh", "-c", "echo out; echo err >&2; exit 3"])).toEqual({
      exitCode: 3,
      stdout: "out\n",
      stderr: "err\n",
    });
    const stdin = "täglich\n".repeat(50_000);
    expect(await exec(id, ["/bin/cat"], { stdin })).toEqual({
      exitCode: 0,
      stdout: stdin,
      stderr: "",
    });
    expect((await exec(id, ["/no/such/program"])).exitCode).not.toBe(0);
    await expect(exec(sett.name("unknown"), ["/bin/true"])).rejects.toMatchObject({
      code: sett.refusal,
    });
  }, 600_000);

  test("a person at a command has both streams apart, or a terminal of their own size", async () => {
    await using sett = await open();
    const { id } = await sett.run("sleep 600");
    const apart = attended("echo typed; exit 3\n");
    expect(await attend(sett, id, ["/bin/sh"], apart)).toBe(3);
    expect(apart.printed()).toEqual({ stdout: "typed\n", stderr: "" });
    const both = attended("");
    expect(await attend(sett, id, ["/bin/sh", "-c", "echo out; echo err >&2"], both)).toBe(0);
    expect(both.printed()).toEqual({ stdout: "out\n", stderr: "err\n" });
    const endless = attended("");
    expect(await attend(sett, id, ["/bin/sh", "-c", "kill -9 $$"], endless)).toBe(137);
    const shown = attended("", { columns: 77, rows: 22 });
    // A terminal gets its size a moment after the command has begun.
    const script = `size=; until [ "$size" ]; do size=$(stty size 2>/dev/null); done; echo "$size"; exit 5`;
    expect(await attend(sett, id, ["/bin/sh", "-c", script], shown)).toBe(5);
    expect(shown.printed()).toEqual({ stdout: "22 77\r\n", stderr: "" });
    await expect(
      attend(sett, sett.name("unknown"), ["/bin/true"], attended("")),
    ).rejects.toMatchObject({ code: sett.refusal });
  }, 600_000);

  rarely("waiting gives the exit code, also of a container that ended long ago", async () => {
    await using sett = await open();
    const { id } = await sett.run("exit 7");
    expect(await sett.runtime.workers.wait(id)).toBe(7);
    expect(await sett.runtime.workers.wait(id)).toBe(7);
    expect(await sett.runtime.observe.find(id)).toMatchObject({
      state: { state: "exited", exitCode: 7 },
      isOutOfMemory: false,
    });
  });

  rarely("waiting ends when it is interrupted", async () => {
    await using sett = await open();
    const { id } = await sett.run("sleep 600");
    const { wait } = sett.runtime.workers;
    await expect(wait(id, AbortSignal.timeout(50))).rejects.toMatchObject({ code: "interrupted" });
    await expect(wait(id, AbortSignal.abort())).rejects.toMatchObject({ code: "interrupted" });
  });

  test("stopping sends SIGTERM and waits; stopping and removing what is stopped or gone is fine", async () => {
    await using sett = await open();
    const { stop, remove } = sett.runtime.apply;
    const { wait, find } = sett.runtime.workers;
    const { id } = await sett.run(
      "trap 'echo bye; exit 4' TERM; echo ready; while :; do sleep 0.05; done",
    );
    await firstLine(sett, id);
    await stop(id, 10);
    expect(await wait(id)).toBe(4);
    await stop(id, 10);
    await Promise.all([remove(id), remove(id)]);
    await remove(id);
    await stop(id, 10);
    expect(await find(id)).toBeUndefined();
  }, 600_000);

  rarely("one that is renamed is found by its new name, and its old name is free", async () => {
    await using sett = await open();
    const { id } = await sett.run("sleep 600", { name: sett.name("redis") });
    const other = await sett.run("sleep 600");
    const { find } = sett.runtime.observe;
    const { rename } = sett.runtime.apply;
    await rename(id, sett.name("redis.old"));
    expect(await find(sett.name("redis"))).toBeUndefined();
    expect(await find(sett.name("redis.old"))).toMatchObject({
      id,
      name: sett.name("redis.old"),
      state: { state: "running" },
    });
    await expect(rename(other.id, sett.name("redis.old"))).rejects.toMatchObject({
      code: "instance-taken",
    });
    expect((await find(other.id))?.name).not.toBe(sett.name("redis.old"));
    await sett.run("sleep 600", { name: sett.name("redis") });
  });

  rarely(
    "one that has ended is started again as it is; one that runs goes on",
    async () => {
      await using sett = await open();
      const { find, logs } = sett.runtime.observe;
      const { startAgain, stop } = sett.runtime.apply;
      const { wait } = sett.runtime.workers;
      const { id } = await sett.run("trap 'exit 4' TERM; echo here; while :; do sleep 0.05; done");
      const before = await find(id);
      await startAgain(id);
      expect(await find(id)).toEqual(before);
      await firstLine(sett, id);
      await stop(id, 10);
      expect(await wait(id)).toBe(4);
      await startAgain(id);
      expect(await find(id)).toMatchObject({ id, state: { state: "running" } });
      const said = async () => (await Array.fromAsync(logs(id))).map(({ line }) => line);
      await waitFor("its second beginning", async () => (await said()).length === 2);
      await stop(id, 10);
      expect(await said()).toEqual(["here", "here"]);
    },
    600_000,
  );
}

/** Says that it has come so far: before its trap is set, SIGTERM ends it. */
async function firstLine(sett: RuntimeBench, id: string): Promise<string> {
  for await (const { line } of sett.runtime.observe.logs(id, { follow: true })) return line;
  throw new Error("It has ended and said nothing.");
}
