// A real process, which gets real signals.
import { expect, test } from "bun:test";
import { join } from "node:path";
import process from "node:process";
import { root } from "../../../support/root.ts";

const source = JSON.stringify(join(root, "lib/service/stop-signal.ts"));

/**
 * A process that prints each reason to stop, has work until `stdin` ends, and ends by itself
 * after two minutes.
 */
function start(code: string) {
  const script = `import { exitOn, stopSignal } from ${source};
    const stop = stopSignal();
    stop.addEventListener("abort", () => console.log(stop.reason));
    ${code}
    setTimeout(() => process.exit(99), 120_000);
    console.log("ready");`;
  const child = Bun.spawn([process.execPath, "-e", script], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  return {
    child,
    /** Resolves to all lines so far, once there are `count`. */
    async lines(count: number): Promise<string[]> {
      while (text.split("\n").length <= count) {
        const { done, value = "" } = await lines.read();
        if (done) break;
        text += value;
      }
      return text.split("\n").slice(0, -1);
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await child.exited;
    },
  };
}

test.each(["SIGTERM", "SIGINT"] as const)(
  "%s ends a process without work, with the exit code that it has chosen",
  async (name) => {
    await using program = start("exitOn(stop, 7);");
    await program.lines(1);
    program.child.kill(name);
    expect(await program.child.exited).toBe(7);
    expect(await program.lines(2)).toEqual(["ready", name]);
  },
);

test("the first signal is the reason; later ones change nothing", async () => {
  await using program = start('process.on("SIGTERM", () => console.log("second", stop.reason));');
  await program.lines(1);
  program.child.kill("SIGINT");
  await program.lines(2);
  program.child.kill("SIGTERM");
  expect(await program.lines(3)).toEqual(["ready", "SIGINT", "second SIGINT"]);
});

test("a process with work to finish does not end at the signal", async () => {
  await using program = start(
    'exitOn(stop, 7)(); process.stdin.on("end", () => process.exit(3)).resume();',
  );
  await program.lines(1);
  program.child.kill("SIGTERM");
  expect(await program.lines(2)).toEqual(["ready", "SIGTERM"]);
  program.child.stdin.end();
  expect(await program.child.exited).toBe(3);
});
