// A program that builds an image does not keep `sett up` for ever.
import { expect, test } from "bun:test";
import process from "node:process";
import { runBuildProgram } from "../../../../../lib/runtime/docker/build-program.ts";
import { limitsOf } from "../../../../../lib/runtime/docker/patience.ts";

/** `sh` with this script, and what it says. */
async function run(script: string, silenceMs?: number) {
  let said = "";
  const order = { program: "sh", args: ["-c", script], env: process.env, silenceMs };
  const code = await runBuildProgram({
    ...{ ...order, signal: undefined },
    read: ({ stdout }) => {
      stdout.on("data", (text) => {
        said += text;
      });
    },
  });
  return { code, said };
}

test("a build whose Engine says nothing any more is ended, and the error says so", async () => {
  expect(await run("echo done; exit 3")).toEqual({ code: 3, said: "done\n" });
  // Without an end of its own.
  const failure = await run("echo has begun; sleep 1000000", 200).catch((error: unknown) => error);
  expect(failure).toMatchObject({
    code: "docker-unreachable",
    message: "The Docker Engine has said nothing for 0.2 s.",
  });
}, 120_000);

test("an image that is pushed may be silent for as long as one that is pulled, and no longer", () => {
  const pulled = limitsOf("/images/create?fromImage=a", 1_000);
  for (const path of ["/images/push", "/images/registry.example:5000/team/door/push?tag=1"])
    expect(limitsOf(path, 1_000)).toEqual(pulled);
});
