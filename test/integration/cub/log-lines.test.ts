// Shows what the log says of a piece of work, beyond its fixed messages.
import { expect, test } from "bun:test";
import { runCommand } from "../../../lib/process/run-command.ts";
import { cubScene, type LogLine } from "../../support/cub/scene.ts";
import { waitFor } from "../../support/wait-for.ts";

/** The lines of one grant that is worked on by this command. */
async function linesOf(command: string[], last: string) {
  await using scene = await cubScene({
    agent: { timeout_ms: 60_000 },
    over: {
      command,
      runTool: (order) =>
        runCommand({ ...order, command, cwd: "/", env: { PATH: "/usr/bin:/bin" } }),
    },
  });
  scene.start();
  const goal = await scene.standIn.post();
  const claim = await scene.standIn.openGranted(goal, scene.agent);
  const { artefact } = await scene.standIn.ended(claim, scene.agent);
  await waitFor(last, () => scene.messages().includes(last));
  const said = (msg: string): LogLine =>
    scene.lines.find((line) => line.msg === msg) ?? { level: "", msg: "nothing" };
  return { goal, artefact, said };
}

const shell = (script: string) => ["/bin/sh", "-c", script];

test("each line names the thread of the artefact that it is about, and the command that is run", async () => {
  const command = shell(`echo '{"artefact_type":"Report","artefact_payload":"","summary":""}'`);
  const { goal, artefact, said } = await linesOf(command, "Created artefact");
  for (const msg of ["Fetched target artefact", "Executing tool", "Tool execution completed"])
    expect(said(msg)).toMatchObject({ artefact_id: goal.id, logical_id: goal.logical_id });
  expect(said("Created artefact")).toMatchObject({
    artefact_id: artefact.id,
    logical_id: artefact.logical_id,
  });
  expect(said("Executing tool").command).toBe(
    `/bin/sh -c "echo '{\\"artefact_type\\":\\"Report\\",\\"artefact_payload\\":\\"\\",\\"summary\\":\\"\\"}'"`,
  );
});

test("a failure names the command and what it wrote, on stdout and on stderr", async () => {
  const { artefact, said } = await linesOf(
    shell("echo half; echo why >&2; exit 3"),
    "Created Failure artefact",
  );
  expect(said("Tool execution failed")).toMatchObject({
    command: '/bin/sh -c "echo half; echo why >&2; exit 3"',
    exit_code: 3,
    stdout: "half\n",
    stderr: "why\n",
  });
  expect(said("Created Failure artefact").logical_id).toBe(artefact.logical_id);
});

test("so do an answer that cannot be read and a command that runs out of time", async () => {
  const unreadable = await linesOf(shell("echo hello; echo note >&2"), "Created Failure artefact");
  expect(unreadable.said("Failed to parse tool output")).toMatchObject({
    stdout: "hello\n",
    stderr: "note\n",
  });
  const command = shell("echo begun; echo waiting >&2; exec sleep 600");
  await using scene = await cubScene({
    agent: { timeout_ms: 5_000 },
    over: {
      command,
      runTool: (order) =>
        runCommand({ ...order, command, cwd: "/", env: { PATH: "/usr/bin:/bin" } }),
    },
  });
  scene.start();
  await scene.standIn.ended(
    await scene.standIn.openGranted(await scene.standIn.post(), scene.agent),
    scene.agent,
  );
  const late = await waitFor("the time-out", () =>
    scene.lines.find(({ msg }) => msg === "Tool execution timeout"),
  );
  expect(Object.keys(late)).toEqual(
    expect.arrayContaining(["command", "logical_id", "stdout", "stderr"]),
  );
});

test("a long command and long output are shortened, with a mark, and the end of the output is kept", async () => {
  const script = `# ${"long ".repeat(200)}
yes | head -c 100000; seq 100000 >&2; exit 3`;
  const { said } = await linesOf(shell(script), "Created Failure artefact");
  const { command, stdout, stderr } = said("Tool execution failed");
  expect(String(command)).toMatch(/^\/bin\/sh -c "# long .*…$/);
  expect(String(command).length).toBeLessThanOrEqual(200);
  for (const text of [stdout, stderr]) {
    expect(text).toMatch(/\n\[… \d+ bytes left out …\]\n/);
    expect(String(text).length).toBeLessThanOrEqual(2_000);
  }
  expect(stderr).toMatch(/99999\n100000\n$/);
});
