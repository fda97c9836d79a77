import { expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { lintWorkflows } from "../../../.ci/lint-workflows.ts";

const pinned = "actions/checkout@de0fac2e4500dabe0009e67214ff5f5447ce83dd # v6.0.2";
const sound = `name: sound
on: push
permissions: {}
jobs:
  build:
    runs-on: ubuntu-24.04
    timeout-minutes: 5
    steps:
      - uses: ${pinned}
      - run: echo "$GITHUB_SHA"
`;

/** Returns what the linter says of one workflow, without the place. */
async function mistakesIn(workflow: string): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), "sett-workflows-"));
  try {
    await Bun.write(join(folder, "workflows/ci.yml"), workflow);
    return (await lintWorkflows(folder)).map((mistake) =>
      mistake.replace(/^\S*ci\.yml(?=:)/, "ci.yml"),
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}

test("a sound workflow has no mistakes", async () => {
  expect(await mistakesIn(sound)).toEqual([]);
});

test.each([
  [
    "a job that waits for one that is not there",
    "    runs-on:",
    "    needs: lint\n    runs-on:",
    'needs job "lint" which does not exist',
  ],
  [
    "a context that is not there",
    '"$GITHUB_SHA"',
    "$" + "{{ github.shaa }}",
    'property "shaa" is not defined',
  ],
  ["an unknown key", "    steps:", "    step:", 'unexpected key "step"'],
  ["a runner that is not there", "ubuntu-24.04", "ubuntu-14.04", 'label "ubuntu-14.04" is unknown'],
  ["an action by its tag", pinned, "actions/checkout@v4", "actions/checkout@v4 is not pinned"],
  ["a commit without its version", pinned, pinned.replace(/ #.*/, ""), "is not pinned"],
  ["all permissions", "permissions: {}\n", "", "the workflow names no `permissions`"],
  [
    "a job without a limit",
    "    timeout-minutes: 5\n",
    "",
    "the job `build` has no `timeout-minutes`",
  ],
])("%s is a mistake", async (_, sane, broken, sentence) => {
  const mistakes = await mistakesIn(sound.replace(sane, broken));
  expect(mistakes.join("\n")).toContain(sentence);
});

test("a mistake is named with its file and line", async () => {
  expect(await mistakesIn(sound.replace(pinned, "actions/checkout@v4"))).toEqual([
    expect.stringMatching(/^ci\.yml:9: actions\/checkout@v4 /),
  ]);
});

test("the actions of an action of our own are pinned, too", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sett-workflows-"));
  try {
    await Bun.write(join(folder, "workflows/ci.yml"), sound);
    await Bun.write(
      join(folder, "actions/prepare/action.yml"),
      "runs:\n  using: composite\n  steps:\n    - uses: actions/cache@v5\n",
    );
    expect(await lintWorkflows(folder)).toEqual([
      expect.stringMatching(/prepare\/action\.yml:4: actions\/cache@v5 is not pinned/),
    ]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
