// Findings about the folder of an agent's `path`.
import { expect, test } from "bun:test";
import { join } from "node:path";
import { checkDevcontainer } from "../../../../lib/config/devcontainer.ts";
import { checkConfig } from "../../../../lib/config/read-config.ts";
import { configFolder } from "../../../support/config/config-file.ts";

/** Returns the findings about a folder that holds these files. */
async function said(files: Record<string, string>) {
  await using made = await configFolder({ "sett.yml": "", ...files });
  return await checkDevcontainer(made.folder);
}

test.each([".devcontainer/devcontainer.json", ".devcontainer.json", "devcontainer.json"])(
  "%s is found, with comments and commas at the end of lists",
  async (place) => {
    const text = `{
  // As editors write it.
  "build": { "dockerfile": "Dockerfile", "context": ".", }, /* and so on */
  "features": { "ghcr.io/devcontainers/features/go:1": {}, },
}`;
    await using made = await configFolder({
      "sett.yml": "",
      [place]: text,
      [join(place, "../Dockerfile")]: "FROM scratch\n",
    });
    const { devcontainer, mistakes, warnings } = await checkDevcontainer(made.folder);
    expect({ mistakes, warnings }).toEqual({ mistakes: [], warnings: [] });
    const folder = join(made.folder, place, "..");
    expect(devcontainer).toMatchObject({
      file: join(made.folder, place),
      base: { kind: "build", context: folder, dockerfile: join(folder, "Dockerfile") },
      hasFeatures: true,
    });
  },
);

const wrong: [title: string, files: Record<string, string>, sentence: RegExp][] = [
  ["a folder without one", { "agent/README.md": "" }, /^there is no devcontainer\.json in \//],
  [
    "what is no JSON",
    { "devcontainer.json": '{\n "image": debian }' },
    /^devcontainer\.json, line 2, is not JSON with comments: a value is neither a text/,
  ],
  ["what is no map", { "devcontainer.json": "[]" }, /must be a map, not a list/],
  ["an image that is no text", { "devcontainer.json": '{ "image": 5 }' }, /`image` must be text/],
  [
    "neither image nor build",
    { "devcontainer.json": "{}" },
    /names neither `image` nor `build\.dockerfile`/,
  ],
  [
    "a Compose file",
    { "devcontainer.json": '{ "dockerComposeFile": "x" }' },
    /has `dockerComposeFile`: an agent is one image/,
  ],
  [
    "a Dockerfile that is not there",
    { "devcontainer.json": '{ "build": { "dockerfile": "../nosuch" } }' },
    /names a Dockerfile that is not there: .*\/nosuch$/,
  ],
];

test.each(wrong)("%s is refused", async (_, files, sentence) => {
  const { devcontainer, mistakes } = await said(files);
  expect(devcontainer).toBeUndefined();
  expect(mistakes).toEqual([expect.stringMatching(sentence)]);
});

test("what Sett cannot do is warned of, and what is for editors is not", async () => {
  const text =
    '{ "image": "x", "mounts": [], "runArgs": [], "forwardPorts": [1], "customizations": {}, "remoteUser": "root" }';
  const { mistakes, warnings } = await said({ "devcontainer.json": text });
  expect(mistakes).toEqual([]);
  expect(warnings).toEqual([
    "devcontainer.json has `mounts`, `runArgs`, which Sett ignores",
    "devcontainer.json names `root` as the user: an agent never runs as root, but as the repository's owner",
  ]);
});

test("a mistake is reported at the line of `path`, which goes with neither `image` nor `external`", async () => {
  const text =
    "version: '1.0'\nagents:\n  a:\n    path: ./nosuch\n    command: [run]\n  b:\n    path: ./b\n    image: x\n    command: [run]\n  c:\n    external: true\n    path: ./b\n";
  await using made = await configFolder({
    "sett.yml": text,
    "b/devcontainer.json": '{ "image": "x", "runArgs": [] }',
  });
  const { mistakes, warnings } = await checkConfig(made.path, {});
  expect(mistakes.map(({ line, path, sentence }) => `${line} ${path}: ${sentence}`)).toEqual([
    `4 agents.a.path: there is no folder ${join(made.folder, "nosuch")}`,
    "7 agents.b.path: cannot be combined with `image`: keep one of the two",
    expect.stringMatching(/^12 agents\.c\.path: cannot be combined with `external: true`/),
  ]);
  expect(warnings.map(({ line, sentence }) => `${line} ${sentence}`)).toContain(
    "7 devcontainer.json has `runArgs`, which Sett ignores",
  );
});
