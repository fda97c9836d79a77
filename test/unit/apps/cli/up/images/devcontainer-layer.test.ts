// Shows what Sett puts on top of an image of `@devcontainers/cli`, from that image's metadata.
import { describe, expect, test } from "bun:test";
import {
  devcontainerLayer,
  ownersNameLabel,
} from "../../../../../../apps/cli/up/images/devcontainer-layer.ts";

const surroundings = {
  folder: "/work/agents/coder",
  owner: { uid: 1000, gid: 1001 },
  host: { TOKEN: "a$b" },
};

/** The lines of the Dockerfile, after those that are always there; and the labels. */
function layer(pieces: unknown[], user = "") {
  const labels = { "devcontainer.metadata": JSON.stringify(pieces) };
  const made = devcontainerLayer({ tag: "some:devcontainer", user, labels }, surroundings);
  const [from, root, ...lines] = made.dockerfile.trimEnd().split("\n");
  expect([from, root]).toEqual(["FROM some:devcontainer", "USER root"]);
  return { lines, labels: made.labels };
}

describe("the user", () => {
  test("is the remote user, who gets the owner's numbers, and the image says so", () => {
    const { lines, labels } = layer(
      [{ remoteUser: "base" }, { containerUser: "other", remoteUser: "dev" }],
      "root",
    );
    expect(lines).toEqual([
      expect.stringMatching(/^RUN \["\/bin\/sh","-c",".*","sh","dev","1000","1001"\]$/),
      "USER dev",
    ]);
    expect(labels).toEqual({ [ownersNameLabel]: "dev" });
  });

  test.each([
    ["the container's, where there is no remote one", [{ containerUser: "dev" }], "root", "dev"],
    ["the image's own, where the file names none", [{}], "node:node", "node:node"],
  ])("is %s", (_, pieces, own, user) => {
    expect(layer(pieces, own).lines).toEqual([expect.stringMatching(/^RUN /), `USER ${user}`]);
  });

  test.each([
    ["root", [{}], ""],
    ["a number", [{ remoteUser: "1234" }], ""],
    ["one that is to keep its own", [{ remoteUser: "dev", updateRemoteUserUID: false }], ""],
  ])("keeps its numbers where it is %s", (_, pieces, own) => {
    const { lines, labels } = layer(pieces, own);
    expect(lines).toHaveLength(1);
    expect(labels).toEqual({});
  });

  test("has a name and nothing else", () => {
    expect(() => layer([{ remoteUser: "x; rm -rf /" }])).toThrow(
      '"x; rm -rf /" cannot be the name of a user',
    );
  });
});

describe("variables", () => {
  const variable = (containerEnv: Record<string, string>, more = {}) =>
    layer([{ containerEnv, ...more }]).lines.slice(0, -1);

  test("are taken as they are: the builder replaces nothing in them", () => {
    expect(variable({ A: 'say "$HOME" \\ `id`' })).toEqual(['ENV A="say \\"\\$HOME\\" \\\\ `id`"']);
  });

  test("may name this machine's, with a default, and the image's own", () => {
    const reference = (of: string) => `\${${of}}`;
    const known = [
      "localEnv:TOKEN",
      "localEnv:NOT_SET:else",
      "localEnv:NOT_SET",
      "containerWorkspaceFolder",
    ].map(reference);
    const variables = variable({ A: known.join(","), B: `x:${reference("containerEnv:PATH")}` });
    expect(variables).toEqual(['ENV A="a\\$b,else,,/workspace"', `ENV B="x:${reference("PATH")}"`]);
  });

  test("of the tools come after those of the container, and one that is to be taken away is left", () => {
    expect(variable({ A: "1" }, { remoteEnv: { B: "2", C: null } })).toEqual([
      'ENV A="1"',
      'ENV B="2"',
    ]);
  });

  test("of several lines are refused, for no image can hold them", () => {
    expect(() => variable({ A: "1\n2" })).toThrow("the value of A has more than one line");
  });
});

test("commands run in their order, each as it is written: for a shell, as words, or several by name", () => {
  const { lines } = layer([
    { postCreateCommand: { one: "echo 1", two: ["echo", "$2"] } },
    { postCreateCommand: "cd ~ && pwd", updateContentCommand: ["make"], onCreateCommand: "first" },
  ]);
  expect(lines).toEqual([
    expect.stringContaining("mkdir -p /workspace"),
    "WORKDIR /workspace",
    "USER root",
    'RUN ["/bin/sh","-c","first"]',
    'RUN ["make"]',
    'RUN ["/bin/sh","-c","echo 1"]',
    'RUN ["echo","$2"]',
    'RUN ["/bin/sh","-c","cd ~ && pwd"]',
  ]);
});

test("an image without metadata is used as it is", () => {
  expect(devcontainerLayer({ tag: "some:1", user: "", labels: {} }, surroundings)).toEqual({
    dockerfile: "FROM some:1\nUSER root\nUSER root\n",
    labels: {},
  });
});
