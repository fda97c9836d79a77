// A runtime that comes later than the command, one that does not come, and other errors.
import { expect, test } from "bun:test";
import { untilRuntime } from "../../../../../../apps/cli/up/checks/until-runtime.ts";
import { SettError, type SettErrorCode } from "../../../../../../lib/model/errors.ts";
import { errorOf } from "../../../../../support/error-of.ts";

function scene(code: SettErrorCode, answersAfter = Number.POSITIVE_INFINITY) {
  const stop = new AbortController();
  const said: string[] = [];
  const scene = {
    ...{ stop, said, looks: 0 },
    wait: (patienceMs: number) =>
      untilRuntime(
        async () => {
          scene.looks += 1;
          if (scene.looks > answersAfter) return "found";
          throw new SettError(code, "It is not there.");
        },
        {
          interrupted: stop.signal,
          messages: { note: (sentence: string) => said.push(sentence) } as never,
        },
        { patienceMs, everyMs: 1 },
      ),
  };
  return scene;
}

test.each([["docker-unreachable"], ["kubernetes-unreachable"]] as const)(
  "what comes late is waited for, which is said once: %s",
  async (code) => {
    const late = scene(code, 3);
    expect(await late.wait(600_000)).toBe("found");
    expect(late.said).toEqual(["Waiting for an answer. It is not there."]);
  },
);

test("one that does not come is the last error, and any other error is one at once", async () => {
  const away = scene("docker-unreachable");
  expect(await errorOf(away.wait(20))).toMatchObject({ code: "docker-unreachable" });
  const other = scene("instance-taken");
  expect(await errorOf(other.wait(60_000))).toMatchObject({ code: "instance-taken" });
  expect(other.looks).toBe(1);
});

test("an interruption ends the waiting", async () => {
  const away = scene("docker-unreachable");
  const waiting = errorOf(away.wait(60_000));
  away.stop.abort();
  expect((await waiting).code).toMatch(/^(?:interrupted|docker-unreachable)$/);
});
