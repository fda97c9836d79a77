// The package that runs a command of a person's own, as the cub runs it.
import { expect, test } from "bun:test";
import {
  FullToolOutput,
  formatToolInput,
  ShortToolOutput,
} from "../../../lib/model/tool-contract.ts";
import { runAgent } from "../../support/agents/run-agent.ts";
import { goalOf, workInput, workRepository } from "../../support/models/worker-scene.ts";

const Output = FullToolOutput.or(ShortToolOutput);

test("a command that hides a failed merge is a Failure that names the file, and no commit", async () => {
  using repository = workRepository();
  const write = (word: string) => `echo ${word} > key && git add key && git commit -qm ${word}`;
  const settings = {
    COMMAND: `${write("base")} && git checkout -qb other && ${write("other")} &&
      git checkout -q - && ${write("own")} && git merge other || true`,
    COMMIT: "Merge it",
  };
  const work = formatToolInput(workInput(goalOf("Merge.")));
  const { exitCode, stdout, stderr } = await runAgent("shell", work, repository.folder, settings);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.any(String) });
  const answer = Output.parse(JSON.parse(stdout));
  expect(answer).toMatchObject({
    ...{ structural_type: "Failure", artefact_type: "CommandFailed" },
    summary: expect.stringContaining("has left files in conflict"),
    artefact_payload: { output: expect.stringContaining("In conflict:\nkey\n") },
  });
  expect(repository.git("log", "-1", "--format=%s")).toBe("own");
  repository.git("checkout", "--quiet", "--theirs", "key");
  const again = { COMMAND: "git add key", COMMIT: "Merge it" };
  const decided = await runAgent("shell", work, repository.folder, again);
  expect(Output.parse(JSON.parse(decided.stdout))).toMatchObject({
    ...{ artefact_type: "CodeCommit", artefact_payload: repository.head() },
  });
  expect(repository.git("show", "HEAD:key")).toBe("other");
});

test("so is a rebase in its midst", async () => {
  using repository = workRepository();
  const make = "git commit --quiet --allow-empty -m one && git commit --quiet --allow-empty -m two";
  const settings = {
    COMMAND: `${make} && git rebase --quiet --keep-empty --exec false HEAD~2 || true`,
    COMMIT: "Rebase it",
  };
  const work = formatToolInput(workInput(goalOf("Rebase.")));
  const { stdout } = await runAgent("shell", work, repository.folder, settings);
  expect(Output.parse(JSON.parse(stdout))).toMatchObject({
    ...{ structural_type: "Failure", artefact_type: "CommandFailed" },
    summary: expect.stringContaining("has not ended a rebase"),
  });
});
