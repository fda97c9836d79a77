// Records docs/pictures/session.svg: the walk-through of docs/guides/people.md, typed at a real
// sett without Docker, on a pseudo terminal. `just picture`.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { $ } from "bun";
import { TerminalScreen } from "./terminal-screen.ts";

const root = dirname(import.meta.dir);
const columns = 100;
const title =
  "A person posts a goal, an agent asks, the person answers and approves, and the record is shown.";

/** A command, and what the person types while it runs: once the screen shows `after`, `keys`. */
type Typed = { command: string; keys?: { after: RegExp; keys: string } };

const home = await mkdtemp(join(tmpdir(), "sett-picture-"));
const folder = join(home, "garden");
const environment = {
  ...process.env,
  ...{
    HOME: home,
    XDG_STATE_HOME: join(home, "state"),
    PATH: `${join(root, "bin")}:${process.env.PATH}`,
    TERM: "xterm-256color",
  },
  ...{
    GIT_AUTHOR_NAME: "Ada Lovelace",
    GIT_COMMITTER_NAME: "Ada Lovelace",
    EMAIL: "ada@sett.invalid",
  },
};
const screen = new TerminalScreen(columns);
let atMs = 0;

/** The files of the walk-through, without the `sett up` at their end. */
async function prepare(): Promise<void> {
  const page = await Bun.file(join(root, "docs/guides/people.md")).text();
  const [, files = ""] = /^```sh\n(mkdir.*?)^sett up$/ms.exec(page) ?? [];
  if (files === "") throw new Error("docs/guides/people.md has no block that writes a sett.");
  await $`git init --quiet --initial-branch=main ${folder} && git -C ${folder} config user.name ${"Ada Lovelace"}`.env(
    environment,
  );
  await $`sh -e -c ${files}`.cwd(folder).env(environment).quiet();
  await $`sett up --runtime process`.cwd(folder).env(environment).quiet();
}

function write(text: string, afterMs: number): void {
  atMs += afterMs;
  screen.write(text, atMs);
}

/** As a person types: not all at once. */
function type(text: string): void {
  for (const character of text) write(character, 45);
}

async function run({ command, keys }: Typed): Promise<void> {
  write("\u001b[32m$\u001b[0m ", 600);
  type(command);
  write("\r\n", 200);
  const startedAt = performance.now() - atMs;
  const decoder = new TextDecoder();
  let hasTyped = false;
  const child = Bun.spawn(["sh", "-c", command], {
    cwd: folder,
    env: environment,
    terminal: {
      cols: columns,
      rows: 40,
      data: (terminal, data) => {
        atMs = performance.now() - startedAt;
        screen.write(decoder.decode(data, { stream: true }), atMs);
        if (keys === undefined || hasTyped || !keys.after.test(screen.text)) return;
        hasTyped = true;
        terminal.write(keys.keys);
      },
    },
  });
  await child.exited;
  child.terminal?.close();
}

/** The id of what waits for a person, shortened as a person would. */
async function waiting(): Promise<string> {
  const [question] = await $`sett questions --json`.cwd(folder).env(environment).json();
  return String(question.id).slice(0, 8);
}

try {
  await prepare();
  await run({
    command: 'sett forage --goal "Plant roses" --watch',
    keys: { after: /Your answer/, keys: "front\r" },
  });
  await run({ command: `sett approve ${await waiting()}` });
  // Bun's own shell knows no `until`.
  const wait = `until sett status --json | jq -e '.goals[0].state == "achieved"'; do sleep 0.2; done`;
  await $`sh -c ${wait}`.cwd(folder).env(environment).quiet();
  await run({ command: "sett hoard" });
  await Bun.write(join(root, "docs/pictures/session.svg"), screen.toSvg(title));
  console.log(screen.text);
} finally {
  await $`sett down --volumes --force --timeout 1s`.cwd(folder).env(environment).quiet().nothrow();
  await rm(home, { recursive: true, force: true });
}
