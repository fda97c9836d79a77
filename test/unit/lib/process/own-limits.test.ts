import { expect, test } from "bun:test";

/** Runs the statements in a process of their own: limits cannot be raised again. */
async function linesOf(statements: string): Promise<string[]> {
  const source = `import { lowerOwnLimits } from "${import.meta.dir}/../../../../lib/process/own-limits.ts";${statements}`;
  const child = Bun.spawn([process.execPath, "-e", source], { stdout: "pipe" });
  return (await new Response(child.stdout).text()).trim().split("\n");
}

const show = `console.log((await Bun.$\`cat /proc/self/limits\`.text()).match(/Max (?:open files|core file size|msgqueue size) +\\S+ +\\S+/g).map((line) => line.replace(/ +/g, " ")).toSorted().join("\\n"))`;

test("what a program starts has no more than the limits that the program has lowered", async () => {
  const excess = `console.log(JSON.stringify(await lowerOwnLimits({ openFiles: 321, coreBytes: 0, queueBytes: 0 })));`;
  expect(await linesOf(excess + show)).toEqual([
    "[]",
    "Max core file size 0 0",
    "Max msgqueue size 0 0",
    "Max open files 321 321",
  ]);
});

test("a limit that is lower already stays as it is", async () => {
  const twice = `await lowerOwnLimits({ openFiles: 321 }); console.log((await lowerOwnLimits({ openFiles: 4096 })).length);`;
  expect(await linesOf(twice + show)).toContain("Max open files 321 321");
});
