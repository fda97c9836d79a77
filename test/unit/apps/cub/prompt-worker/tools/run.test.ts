import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runTool } from "../../../../../../apps/cub/prompt-worker/tools/run.ts";
import { textFrom, toolScene } from "../../../../../support/models/use-tool.ts";
import { waitFor } from "../../../../../support/wait-for.ts";

async function scene(leftMs = 3_600_000) {
  const made = await toolScene({}, { isRepository: false });
  return {
    ...made,
    tool: runTool({
      root: made.workspace.root,
      env: { PATH: process.env.PATH ?? "", COMMIT_1: "abc" },
      leftMs: () => leftMs,
    }),
    [Symbol.dispose]: made[Symbol.dispose],
  };
}

test("a command's exit code and both streams in their order are shown", async () => {
  using place = await scene();
  expect(
    await textFrom(place.tool, { command: "echo one; echo two >&2; echo three; exit 4" }),
  ).toBe("Exit code 4\none\ntwo\nthree");
  expect(await textFrom(place.tool, { command: "true" })).toBe("Exit code 0\n(no output)");
  expect(await textFrom(place.tool, { command: "kill -9 $$" })).toBe(
    "Ended by SIGKILL\n(no output)",
  );
  expect(await textFrom(place.tool, { command: "echo $COMMIT_1; pwd" })).toBe(
    `Exit code 0\nabc\n${place.folder}`,
  );
  expect(await textFrom(place.tool, { command: "if then" })).toContain("yntax error");
});

test("a long output loses its middle and says so", async () => {
  using place = await scene();
  const text = await textFrom(place.tool, { command: "seq 1 100000" });
  expect(text).toStartWith("Exit code 0\n1\n2\n3\n");
  expect(text).toEndWith("99999\n100000");
  expect(text).toMatch(/\[… \d+ characters are left out here …\]/);
  expect(text.length).toBeLessThan(20_200);
});

test("a command that prints without end is ended", async () => {
  using place = await scene();
  expect(await textFrom(place.tool, { command: "yes" })).toStartWith(
    "The command was ended because it printed more than 32 MiB.\ny\ny\n",
  );
});

test("a command has its own time limit, and its process group ends with it", async () => {
  using place = await scene();
  const text = await textFrom(place.tool, {
    command: "sleep 600 & echo $! > pid; echo begun; sleep 600",
    timeout_s: 1,
  });
  expect(text).toBe("The command was ended after its time limit of 1 s.\nbegun");
  const pid = Number(readFileSync(join(place.folder, "pid"), "utf8"));
  await waitFor("the end of the process", () => !isRunning(pid));
});

test("a command ends before the work's time does, and the model reads it", async () => {
  using soon = await scene(2_000);
  expect(await textFrom(soon.tool, { command: "echo begun; sleep 600" })).toBe(
    "The command was ended after its time limit of 1 s.\nbegun\n[The work has no more time for this command: end the work with what is there, and say what was not checked.]",
  );
  using later = await scene(61_000);
  expect(await textFrom(later.tool, { command: "sleep 600", timeout_s: 1 })).toBe(
    "The command was ended after its time limit of 1 s.\n(no output)",
  );
});

test("when the work is ended, so is the command", async () => {
  using place = await scene();
  const stop = new AbortController();
  const running = textFrom(place.tool, { command: "sleep 600 & echo $! > pid; wait" }, stop.signal);
  const pid = await waitFor("the start of the process", () => {
    try {
      return Number(readFileSync(join(place.folder, "pid"), "utf8")) || undefined;
    } catch {
      return undefined;
    }
  });
  stop.abort(new Error("enough"));
  expect(running).rejects.toThrow("enough");
  await running.catch(() => undefined);
  await waitFor("the end of the process", () => !isRunning(pid));
});

test("arguments that are wrong are named", async () => {
  using place = await scene();
  expect(await textFrom(place.tool, { command: "true", timeout_s: 100_000 })).toContain(
    "`timeout_s`: Too big",
  );
  expect(await textFrom(place.tool, { cmd: "true" })).toStartWith(
    "The arguments of `run` are wrong, and nothing was done. `command`: ",
  );
  expect(await textFrom(place.tool, "ls")).toContain("expected object");
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z");
  } catch {
    return false;
  }
}
