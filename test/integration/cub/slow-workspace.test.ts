// A workspace that takes long to prepare: people see how far it is, and the command gets its whole
// time.
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCommand } from "../../../lib/process/run-command.ts";
import { cubScene } from "../../support/cub/scene.ts";
import { exchangeScene } from "../../support/git/exchange-scene.ts";
import { sampleArtefact } from "../../support/records/sample.ts";
import { waitFor } from "../../support/wait-for.ts";

const answer = '{"artefact_type":"Report","artefact_payload":"","summary":""}';

/**
 * A cub whose git says that 1 of 5 files is written, and waits at the checkout until `goOn`.
 * `commandTimes`: how long each command might have run. It may run longer on a busy machine.
 */
async function slowScene(timeoutMs: number) {
  const commandTimes: number[] = [];
  const host = await exchangeScene();
  const [program, file] = [join(host.root, "git"), join(host.root, "go on")];
  const waiting = `printf 'Updating files:  20%% (1/5)\\r' >&2; while [ ! -e '${file}' ]; do :; done`;
  const body = `case " $* " in *" checkout "*) ${waiting};; esac\nexec ${Bun.which("git")} "$@"`;
  writeFileSync(program, `#!/bin/sh\n${body}\n`, { mode: 0o755 });
  const { copy } = host.agent("coder", { path: program, env: { PATH: process.env.PATH } });
  const scene = await cubScene({
    agent: { timeout_ms: timeoutMs },
    over: {
      workingCopy: copy,
      runTool: (order) => {
        commandTimes.push(order.timeoutMs);
        const command = ["/bin/sh", "-c", `echo '${answer}'`];
        const more = { cwd: "/", env: { PATH: "/usr/bin:/bin" }, timeoutMs: 600_000 };
        return runCommand({ ...order, ...more, command });
      },
    },
  });
  scene.start();
  return {
    ...scene,
    commandTimes,
    base: host.base,
    goOn: () => writeFileSync(file, ""),
    async [Symbol.asyncDispose]() {
      await scene[Symbol.asyncDispose]();
      host[Symbol.dispose]();
    },
  };
}

test("a workspace that takes long is noted with its count until it is there, and is in the log", async () => {
  await using scene = await slowScene(1_900);
  const { standIn, agent } = scene;
  const goal = sampleArtefact({ metadata: { commit: scene.base } });
  await standIn.post(goal);
  const claim = await standIn.openGranted(goal, agent);
  const noted = async () => (await standIn.board.listStatuses()).get(agent)?.preparing;
  const [note] = await waitFor("the note", noted);
  expect(note).toMatchObject({ claim, attempt: 1, files: 1, of: 5 });
  scene.goOn();
  // Its command may run for less than the two seconds that the workspace took at least.
  expect((await standIn.ended(claim, agent)).state).toBe("done");
  expect(scene.commandTimes).toEqual([1_900]);
  await waitFor("no note any more", async () => (await noted()) === undefined);
  const lines = scene.lines.filter(({ msg }) => msg.includes("the workspace"));
  expect(lines[0]).toMatchObject({
    msg: "Preparing the workspace",
    claim_id: claim,
    files: 1,
    of: 5,
  });
  expect(lines.at(-1)).toMatchObject({
    msg: "Prepared the workspace",
    duration_ms: expect.any(Number),
  });
});
