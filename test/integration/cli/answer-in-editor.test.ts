// A person answers in an editor. The editors are small scripts.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmod, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { AskingSett, clearGoal, vagueGoal } from "../../support/cli/asking-sett.ts";
import { settOnTerminal } from "../../support/cli/pseudo-terminal.ts";
import type { Screen } from "../../support/cli/screen.ts";
import { nightly } from "../../support/nightly.ts";
import { waitFor } from "../../support/wait-for.ts";

let sett: AskingSett;
let scripts: string;
const interrupt = "\u0003";

beforeAll(async () => {
  sett = await AskingSett.start();
  scripts = join(sett.at.folder, ".git", "editors");
  await mkdir(scripts);
});

afterAll(async () => {
  await sett[Symbol.asyncDispose]();
});

const onTerminal = (env: Record<string, string>, ...words: string[]) =>
  sett.onTerminal({ TMPDIR: scripts, ...env }, ...words);

/** An editor whose work a script does; `$1` is the file. */
async function editor(name: string, script: string): Promise<string> {
  const path = join(scripts, name);
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
  return path;
}

const shown = (screen: Screen) => screen.lines.join("\n");
/** The sentence may be broken between its words, wherever the terminal is full. */
const keptIn = (screen: Screen) =>
  /Your text is in (\S+)\. /.exec(shown(screen).replace(/\s+/g, " "))?.[1] ?? "";

describe("sett answer in an editor", () => {
  test("has the question below, and answers with what is written above it, headings too", async () => {
    const { question } = await sett.ask("Which door?");
    const copy = join(scripts, "seen");
    const EDITOR = await editor(
      "writes",
      `cp "$1" ${copy}; { echo '# The door'; grep '>8' ${copy}; echo green; cat ${copy}; } > "$1"`,
    );
    await using answering = onTerminal({ VISUAL: "", EDITOR }, "answer", question);
    expect(await answering.exited).toBe(0);
    expect((await sett.answerOf(question)).payload).toMatch(/^# The door\n# -+ >8 -+\ngreen$/);
    expect(await readFile(copy, "utf8")).toMatch(
      /^\n+# -+ >8 -+\n# Write your answer(?:.*\n)+# {3}│ Which door\?\n$/,
    );
  }, 120_000);

  nightly(
    "has the goal as it is for feedback on it, and left as it was it answers nothing",
    async () => {
      const { goal, question } = await sett.ask(vagueGoal);
      await using leaving = onTerminal({ VISUAL: "true" }, "answer", question);
      expect(await leaving.exited).toBe(2);
      expect(shown(leaving.screen)).toContain("You did not change the goal");
      const VISUAL = await editor("restates", `sed -i 's/^${vagueGoal}$/${clearGoal}/' "$1"`);
      await using restating = onTerminal({ VISUAL, EDITOR: "false" }, "answer", question);
      expect(await restating.exited).toBe(0);
      await sett.achieved(goal);
    },
    120_000,
  );

  test("left without text answers nothing, and neither does an editor that fails or is not there", async () => {
    const { question } = await sett.ask("Which?");
    await using empty = onTerminal({ VISUAL: "true" }, "answer", question);
    expect(await empty.exited).toBe(2);
    expect(shown(empty.screen)).toContain("You wrote nothing: the question is not answered.");
    await using missing = onTerminal({ VISUAL: "/nowhere/ed" }, "answer", question);
    expect(await missing.exited).toBe(1);
    expect(shown(missing.screen)).toContain("Set VISUAL or EDITOR");
    const VISUAL = await editor("fails", `echo precious > "$1"; exit 3`);
    await using failing = onTerminal({ VISUAL }, "answer", question);
    expect(await failing.exited).toBe(1);
    expect(await readFile(keptIn(failing.screen), "utf8")).toBe("precious\n");
    expect(await sett.board.listOpenQuestions()).toContain(question);
  }, 120_000);

  test("keeps what was written when another person was faster", async () => {
    const { question } = await sett.ask("Which?");
    const [started, go] = [join(scripts, "started"), join(scripts, "go")];
    const wait = `touch ${started}; until [ -e ${go} ]; do sleep 0.05; done; echo 'long thoughts' > "$1"`;
    await using answering = onTerminal({ VISUAL: await editor("slow", wait) }, "answer", question);
    await waitFor("the editor", async () => (await readdir(scripts)).includes("started"));
    await sett.at.need("answer", question, "quick", "--as", "Grace Hopper");
    await writeFile(go, "");
    expect(await answering.exited).toBe(1);
    expect(shown(answering.screen)).toContain("was answered by Grace Hopper");
    expect(await readFile(keptIn(answering.screen), "utf8")).toBe("long thoughts\n");
  }, 120_000);

  test("keeps what was written when it is no text, and when the editor is interrupted", async () => {
    const { question } = await sett.ask("Which?");
    await using binary = onTerminal(
      { VISUAL: await editor("binary", `printf '\\377' > "$1"`) },
      "answer",
      question,
    );
    expect(await binary.exited).toBe(2);
    expect(shown(binary.screen)).toContain("not UTF-8");
    expect([...(await readFile(keptIn(binary.screen)))]).toEqual([0xff]);
    const VISUAL = await editor(
      "waits",
      `echo precious > "$1"; touch ${join(scripts, "waits-now")}; exec sleep 60`,
    );
    await using interrupted = onTerminal({ VISUAL }, "answer", question);
    await waitFor("the editor", async () => (await readdir(scripts)).includes("waits-now"));
    interrupted.type(interrupt);
    expect(await interrupted.exited).toBe(130);
    expect(await readFile(keptIn(interrupted.screen), "utf8")).toBe("precious\n");
    expect(await sett.board.listOpenQuestions()).toContain(question);
  }, 120_000);

  nightly(
    "keeps what was written when Redis is away by then",
    async () => {
      await using own = await AskingSett.start();
      const { question } = await own.ask("Which?");
      const [started, go] = [join(scripts, "away"), join(scripts, "come")];
      const VISUAL = await editor(
        "long",
        `touch ${started}; until [ -e ${go} ]; do sleep 0.05; done; echo thoughts > "$1"`,
      );
      const surroundings = {
        cwd: own.at.folder,
        env: { ...own.at.env, NO_COLOR: "1", TMPDIR: scripts, VISUAL },
        columns: 120,
      };
      await using answering = settOnTerminal(["answer", question], surroundings);
      await waitFor("the editor", async () => (await readdir(scripts)).includes("away"));
      await own.at.redis.kill();
      await writeFile(go, "");
      expect(await answering.exited).toBe(1);
      expect(shown(answering.screen)).toContain("Redis cannot be reached");
      expect(await readFile(keptIn(answering.screen), "utf8")).toBe("thoughts\n");
    },
    120_000,
  );
});
