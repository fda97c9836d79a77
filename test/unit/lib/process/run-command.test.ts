// A tool's ordinary doings: text, exit codes, input and output, and commands that do not start.
import { afterAll, describe, expect, test } from "bun:test";
import { openStdinFile } from "../../../../lib/process/open-stdin-file.ts";
import { runCommand } from "../../../../lib/process/run-command.ts";
import { decode, encode, toolFolder } from "../../../support/process/tools.ts";

const folder = await toolFolder();
afterAll(() => folder[Symbol.asyncDispose]());

const twentyMegabytes = new Uint8Array(20_000_000).fill(97);

async function endOf(command: string[], overrides: Parameters<typeof folder.with>[1] = {}) {
  const outcome = await runCommand(folder.with(command, overrides));
  if (outcome.kind === "not_started") throw new Error(outcome.message);
  return { ...outcome, out: decode(outcome.stdout), err: decode(outcome.stderr) };
}

describe("a command that runs", () => {
  test("its text, exit code and duration are recorded", async () => {
    const command = await folder.tool("speaks", "echo out; echo err >&2; exit 3");
    const end = await endOf(command);
    expect(end).toMatchObject({
      kind: "exited",
      exitCode: 3,
      signal: null,
      out: "out\n",
      err: "err\n",
    });
    expect(end.durationMs).toBeGreaterThan(0);
  });

  test("a signal that ended it is recorded in place of an exit code", async () => {
    const command = await folder.tool("dies", "kill -9 $$");
    expect(await endOf(command)).toMatchObject({
      kind: "exited",
      exitCode: null,
      signal: "SIGKILL",
    });
  });

  test("it gets its arguments, its working directory and no other environment than the given one", async () => {
    const command = await folder.tool(
      "tells",
      'echo "$1|$PWD"; env | grep -v -e ^PWD= -e ^_= -e ^SHLVL= -e ^OLDPWD=',
    );
    const end = await endOf([...command, "a b"], { env: { PATH: "/bin:/usr/bin", ONLY: "this" } });
    expect(end.out.split("\n").sort()).toEqual([
      "",
      "ONLY=this",
      "PATH=/bin:/usr/bin",
      `a b|${folder.path}`,
    ]);
  });

  test("it leads a process group of its own", async () => {
    const command = await folder.tool(
      "group",
      'read -r pid _ _ _ group _ < /proc/$$/stat; echo "$pid $group"',
    );
    const [pid, group] = (await endOf(command)).out.trim().split(" ");
    expect(group).toBe(pid as string);
  });

  test("bytes that are no UTF-8 arrive unchanged", async () => {
    const command = await folder.tool("binary", "printf '\\377\\000\\200'");
    expect([...(await endOf(command)).stdout]).toEqual([255, 0, 128]);
  });

  test("it may open its outputs by name, as under docker run", async () => {
    const command = await folder.tool(
      "names",
      "echo first > /dev/stderr; echo second | tee /dev/stderr > /dev/stdout",
    );
    expect(await endOf(command)).toMatchObject({ out: "second\n", err: "first\nsecond\n" });
  });

  test("10 MB of output arrive whole", async () => {
    const command = await folder.tool("large", "#!/usr/bin/perl\nprint 'x' x 10_000_000;");
    expect((await endOf(command)).stdout.byteLength).toBe(10_000_000);
  });

  test("what a background child writes after the leader's exit still counts", async () => {
    const command = await folder.tool("late", "(sleep 0.3; echo late) & echo early");
    expect(await endOf(command)).toMatchObject({
      kind: "exited",
      exitCode: 0,
      out: "early\nlate\n",
    });
  });
});

describe("the input of a command", () => {
  test("it arrives whole and then ends", async () => {
    const end = await endOf(["cat"], { stdin: twentyMegabytes });
    expect(end.stdout).toEqual(twentyMegabytes);
  });

  test("it may be opened through /dev/stdin, as often as the tool likes", async () => {
    const command = await folder.tool("twice", "cat /dev/stdin; cat /dev/stdin");
    expect((await endOf(command, { stdin: "ä" })).out).toBe("ää");
  });

  test("reading it again after its end gives nothing", async () => {
    const command = await folder.tool("again", "cat; cat");
    expect((await endOf(command, { stdin: "once" })).out).toBe("once");
  });

  test("20 MB that go unread neither block nor fail", async () => {
    expect(await endOf(["true"], { stdin: twentyMegabytes })).toMatchObject({
      kind: "exited",
      exitCode: 0,
    });
  });

  test("a tool may close it at once", async () => {
    const command = await folder.tool("closes", "exec 0<&-; echo on");
    expect(await endOf(command, { stdin: twentyMegabytes })).toMatchObject({
      kind: "exited",
      exitCode: 0,
      out: "on\n",
    });
  });

  test("its file has no name while the tool runs", async () => {
    const command = await folder.tool("name", "readlink /proc/$$/fd/0");
    expect((await endOf(command, { stdin: "x" })).out).toEndWith("(deleted)\n");
  });

  test("where no folder takes its file a pipe does the same", async () => {
    const stdinFolders = ["/proc", "/no/such/folder"];
    expect(await openStdinFile("x", stdinFolders)).toBeUndefined();
    const piped = { stdin: twentyMegabytes, stdinFolders };
    expect((await endOf(["cat"], piped)).stdout).toEqual(twentyMegabytes);
    expect(await endOf(["true"], piped)).toMatchObject({ kind: "exited", exitCode: 0 });
    const closes = await folder.tool("closes-pipe", "exec 0<&-; sleep 0.1; exit 4");
    expect(await endOf(closes, piped)).toMatchObject({ kind: "exited", exitCode: 4 });
    const dies = await folder.tool("dies-reading", "head -c 1; kill -9 $$");
    expect(await endOf(dies, piped)).toMatchObject({ kind: "exited", signal: "SIGKILL", out: "a" });
    expect(await endOf(["sleep", "60"], { ...piped, timeoutMs: 50 })).toMatchObject({
      kind: "timed_out",
    });
  });
});

describe("a command that cannot start", () => {
  const refusal = async (command: string[], overrides: Parameters<typeof folder.with>[1] = {}) => {
    const outcome = await runCommand(folder.with(command, overrides));
    return outcome.kind === "not_started" ? `${outcome.reason}: ${outcome.message}` : outcome.kind;
  };

  test("an empty command is refused", async () => {
    expect(await refusal([])).toBe("empty_command: The command is empty.");
    expect(await refusal([""])).toStartWith("invalid: ");
  });

  test("a missing program is named", async () => {
    expect(await refusal(["no-such-tool", "x"])).toBe(
      'not_found: The command "no-such-tool" is not on the PATH.',
    );
    expect(await refusal(["./no-such-tool"])).toBe(
      'not_found: The command "./no-such-tool" does not exist.',
    );
  });

  test("a file without the permission and a directory have different reasons", async () => {
    const [path] = await folder.tool("plain", "echo no", 0o644);
    expect(await refusal([path as string])).toBe(
      `not_executable: The command "${path}" is not executable. Try chmod +x.`,
    );
    expect(await refusal(["/usr"])).toBe('not_executable: The command "/usr" is a directory.');
  });

  test("a script whose interpreter is missing is not called missing", async () => {
    const [path] = await folder.tool("orphan", "#!/no/such/interpreter\n");
    expect(await refusal([path as string])).toStartWith("interpreter_missing: ");
  });

  test("a missing working directory is not taken for a missing program", async () => {
    expect(await refusal(["true"], { cwd: "/no/such/folder" })).toBe(
      'cwd_missing: The working directory "/no/such/folder" does not exist.',
    );
    expect(await refusal(["true"], { cwd: "/etc/passwd" })).toStartWith("cwd_missing: ");
  });

  test("arguments that the system refuses are an outcome, not an exception", async () => {
    expect(await refusal(["echo", "x".repeat(300_000)])).toStartWith("too_long: ");
    expect(await refusal(["echo\0"])).toStartWith("invalid: ");
  });

  test("a command whose signal is already aborted is not started", async () => {
    expect(await refusal(["true"], { signal: AbortSignal.abort() })).toStartWith("aborted: ");
  });
});

test("text is given as UTF-8", async () => {
  expect((await endOf(["cat"], { stdin: "grün" })).stdout).toEqual(encode("grün"));
});
