// Merging at a person's word, with the settings, hooks and signers that people have.
import { expect, test } from "bun:test";
import { chmodSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import type { MergeMode } from "../../../lib/git/repository/merge-commit.ts";
import { SettError } from "../../../lib/model/errors.ts";
import type { CommitHash } from "../../../lib/model/ids.ts";
import {
  commitFiles,
  git,
  hostEnv,
  sampleRepository,
  write,
} from "../../support/git/sample-repository.ts";
import { rowsOfDay } from "../../support/nightly.ts";

const message = "Paint\n\nMade by coder: Paint\n\nSett-Goal: 1\nApproved-by: Ada\n";

/** A repository whose main has gone on, and an agent's commit that is on no branch. */
function scene(content = "green\n") {
  const host = sampleRepository();
  git(host.path, "switch", "-q", "--detach");
  const commit = commitFiles(host.path, { "door.txt": content }, "Approved-by: Mallory");
  git(host.path, "switch", "-q", "main");
  commitFiles(host.path, { "own.txt": "1\n" }, "Go on");
  const merge = async (mode: MergeMode = "merge", which: CommitHash = commit) => {
    const repository = await HostRepository.open(host.path, { env: hostEnv });
    const signal = new AbortController().signal;
    return await repository.merge({ commit: which, message, mode, signal, onSlow: () => {} });
  };
  const script = (path: string, lines: string) => {
    const at = join(host.path, ".git", path);
    write(join(host.path, ".git"), { [path]: `#!/bin/sh\n${lines}\n` });
    chmodSync(at, 0o755);
    return at;
  };
  return { ...host, merge, script, run: (...args: string[]) => git(host.path, ...args) };
}

async function refusal(merging: Promise<unknown>): Promise<SettError> {
  const reason = await merging.catch((error: unknown) => error);
  if (reason instanceof SettError) return reason;
  throw new Error(`It was not refused: ${JSON.stringify(reason)}`);
}

const trailers = "Sett-Goal: 1\nApproved-by: Ada";

test.each(
  rowsOfDay(
    [
      ["merge.ff", "false"],
      ["merge.ff", "only"],
      ["merge.log", "true"],
      ["commit.template", "README.md"],
      ["commit.cleanup", "scissors"],
      ["commit.cleanup", "strip"],
      ["branch.main.mergeOptions", "--no-commit"],
      ["branch.main.mergeOptions", "--commit"],
      ["branch.main.mergeOptions", "--squash"],
      ["branch.main.mergeOptions", "--edit --log"],
    ],
    3,
  ),
)("it makes its commit, with its trailers last, whatever %s=%s says", async (name, value) => {
  for (const mode of ["merge", "squash"] as const) {
    using at = scene();
    at.run("config", name, value);
    expect(await at.merge(mode)).toEqual({
      ...{ outcome: "merged", head: expect.stringMatching(/^[0-9a-f]{40}$/) },
    });
    expect(at.run("log", "-1", "--format=%(trailers)")).toBe(trailers);
    const parents = at.run("log", "-1", "--format=%p").split(" ");
    expect(parents.length).toBe(mode === "merge" ? 2 : 1);
    expect(at.run("status", "--porcelain")).toBe("");
  }
});

test("what changes nothing leaves no message for the person's next commit", async () => {
  using at = scene();
  const commit = commitFiles(at.path, { "door.txt": "green\n" });
  expect(await at.merge("squash")).toEqual({ outcome: "same" });
  expect(existsSync(join(at.path, ".git/SQUASH_MSG"))).toBe(false);
  expect(await at.merge("merge", commit)).toEqual({ outcome: "same" });
});

test("the person's signer signs it", async () => {
  using at = scene();
  const signer = at.script(
    "sign",
    "cat > /dev/null; echo '[GNUPG:] SIG_CREATED ' >&2\necho '-----BEGIN PGP SIGNATURE-----'; echo; echo x; echo '-----END PGP SIGNATURE-----'",
  );
  at.run("config", "commit.gpgsign", "true");
  at.run("config", "gpg.program", signer);
  for (const mode of ["merge", "squash"] as const) {
    expect(await at.merge(mode)).toMatchObject({ outcome: "merged" });
    expect(at.run("cat-file", "commit", "HEAD")).toContain("gpgsig -----BEGIN PGP SIGNATURE-----");
    at.run("reset", "--quiet", "--hard", "HEAD^");
  }
});

test.each(rowsOfDay(["merge", "squash"] as const))(
  "a signer that fails is named, and git has kept the message for the commit by hand: %s",
  async (mode) => {
    using at = scene();
    const signer = at.script("sign", "echo 'gpg: Inappropriate ioctl for device' >&2; exit 2");
    at.run("config", "commit.gpgsign", "true");
    at.run("config", "gpg.program", signer);
    const error = await refusal(at.merge(mode));
    expect(error.code).toBe("git-failed");
    expect(error.hint).toContain(`(commit.gpgsign), by ${signer}, which may have no way`);
    expect(error.hint).toContain("git commit --no-edit");
    at.run("config", "commit.gpgsign", "false");
    at.run("commit", "--quiet", "--no-edit");
    expect(at.run("log", "-1", "--format=%(trailers)")).toBe(trailers);
  },
);

test.each(
  rowsOfDay([
    ["merge", "commit-msg"],
    ["merge", "pre-merge-commit"],
    ["squash", "pre-commit"],
  ] as const),
)("a hook that refuses has its say (%s, %s), and the message stays", async (mode, hook) => {
  using at = scene();
  at.script(`hooks/${hook}`, "echo 'No paint on Fridays.' >&2; exit 1");
  const error = await refusal(at.merge(mode));
  expect(error).toMatchObject({
    code: "git-failed",
    hint: expect.stringContaining("git reset --merge"),
  });
  const kept = join(at.path, ".git", mode === "squash" ? "SQUASH_MSG" : "MERGE_MSG");
  expect(readFileSync(kept, "utf8").trimEnd()).toBe(message.trimEnd());
  at.run("reset", "--quiet", "--merge");
  expect(at.run("status", "--porcelain")).toBe("");
});

test("a program that a hook has left behind is not waited for", async () => {
  using at = scene();
  at.script("hooks/post-merge", "sleep 1000 & echo $! > .git/left");
  expect(await at.merge()).toMatchObject({ outcome: "merged" });
  // It still runs, with the pipe of git's messages.
  process.kill(Number(readFileSync(join(at.path, ".git/left"), "utf8")));
});

test("what git refuses is said with the files, and a merge that is under way is left alone", async () => {
  using at = scene();
  write(at.path, { "door.txt": "mine\n" });
  expect(await refusal(at.merge())).toMatchObject({
    code: "git-failed",
    message: expect.stringContaining("would be overwritten by merge: door.txt"),
  });
  expect(readFileSync(join(at.path, "door.txt"), "utf8")).toBe("mine\n");

  using busy = scene();
  const base = busy.run("rev-parse", "HEAD^");
  const other = busy.run("commit-tree", "-p", base, "-m", "Other", `${base}^{tree}`);
  busy.run("merge", "--quiet", "--no-ff", "--no-commit", other);
  for (const mode of ["merge", "squash"] as const)
    expect(await refusal(busy.merge(mode))).toMatchObject({
      code: "git-failed",
      message: "Another merge or pick is under way here.",
    });
  expect(busy.run("rev-parse", "MERGE_HEAD")).toBe(other);

  using unrelated = scene();
  const orphan = unrelated.run("commit-tree", "-m", "Orphan", "HEAD^{tree}") as CommitHash;
  expect(await refusal(unrelated.merge("merge", orphan))).toMatchObject({
    message: expect.stringContaining("refusing to merge unrelated histories"),
  });
});

test("only a whole line of a message says which artefact it has", async () => {
  using at = scene();
  const repository = await HostRepository.open(at.path, { env: hostEnv });
  at.run("config", "grep.patternType", "fixed");
  at.run(
    "commit",
    "--quiet",
    "--allow-empty",
    "-m",
    "x\n\n    Sett-Artefact: 1\n\nSett-Artefact: 12",
  );
  expect(await repository.commitSaying("Sett-Artefact: 1", undefined)).toBeUndefined();
  expect(await repository.commitSaying("Sett-Artefact: 12", at.base)).toBeDefined();
});
