import { expect, test } from "bun:test";
import { isReplaceable, replaceableImages } from "../../../../lib/dockerfile/replaceable-images.ts";

const digest = `sha256:${"a".repeat(64)}`;

test("each base image that is named by a tag alone is found, once", () => {
  expect(replaceableImages("FROM debian:bookworm\nRUN true\n")).toEqual(["debian:bookworm"]);
  expect(
    replaceableImages("# FROM x\nfrom --platform=linux/amd64 node AS build\r\nFROM node\n"),
  ).toEqual(["node"]);
  expect(replaceableImages("FROM \\\n  registry.example:5000/tools:1\n")).toEqual([
    "registry.example:5000/tools:1",
  ]);
});

test("a digest, a stage of the file, a variable, scratch and Sett's own images are no finding", () => {
  const file = [
    `FROM debian:bookworm@${digest} AS Build`,
    "FROM build AS next",
    "FROM NEXT",
    "FROM $BASE",
    "FROM scratch",
    "FROM sett/agent-base:latest",
    "RUN echo FROM x",
  ];
  expect(replaceableImages(file.join("\n"))).toEqual([]);
});

const kinds: [string, string[], string[]][] = [
  ["an image that files are copied from", ["FROM scratch", "COPY --from=a/b:1 /x /x"], ["a/b:1"]],
  [
    "one that a command mounts",
    ["FROM scratch", "RUN --network=none --mount=type=bind,from=golang:1,target=/go true"],
    ["golang:1"],
  ],
  [
    "the default of a variable",
    ["ARG TAG=12 BASE=debian:$TAG", `FROM ${"$"}{BASE}`],
    ["debian:12"],
  ],
  ["a default in its place", [`FROM ${"$"}{BASE:-alpine}`], ["alpine"]],
  ["a quoted default", ["ARG BASE='node:22'", 'FROM "$BASE"'], ["node:22"]],
  [
    "the program that reads the file",
    ["# syntax=docker/dockerfile:1", "FROM scratch"],
    ["docker/dockerfile:1"],
  ],
  ["a stranger's image that is named like Sett's own", ["FROM sett/tools:1"], ["sett/tools:1"]],
  [
    "a value where a variable is set",
    ["ARG SLIM=1", `FROM debian:12${"$"}{SLIM:+-slim}`],
    ["debian:12-slim"],
  ],
  [
    "an image after a shift that looks like a text's beginning",
    ["FROM scratch", "RUN echo $((1<<3)) <<<x", "COPY --from=a/b:1 /x /x"],
    ["a/b:1"],
  ],
  [
    "an image after a text whose name has a dot",
    ["FROM scratch", "RUN <<a.b cat", "FROM debian", "a.b", "COPY --from=a/b:1 /x /x"],
    ["a/b:1"],
  ],
  [
    "an image of what a later build triggers",
    ["FROM scratch", "ONBUILD COPY --from=a/b:1 /x /x"],
    ["a/b:1"],
  ],
  ["an image that its own stage is named like", ["FROM node AS node", "FROM node"], ["node"]],
  ["an image in a file with another escape", ["# escape=`", "FROM `", " node:22"], ["node:22"]],
  ["a comment within an instruction", ["FROM \\", "# the base", "  node:22"], ["node:22"]],
];

test.each(kinds)("%s is found", (_, file, images) => {
  expect(replaceableImages(file.join("\n"))).toEqual(images);
});

test("stages by name and number, texts of a command and later comments are no finding", () => {
  const file = [
    `FROM debian@${digest} AS build`,
    "# syntax=docker/dockerfile:1",
    "COPY --from=build /x /y",
    "COPY --chown=1 --from=0 /x /y",
    "RUN <<END cat",
    "FROM debian",
    "COPY --from=alpine /a /b",
    "END",
    "RUN echo --from=x",
    `ARG BASE=node@${digest}`,
    "FROM $BASE",
  ];
  expect(replaceableImages(file.join("\n"))).toEqual([]);
});

test("what a build is given is found in the place of a default", () => {
  const file = `ARG BASE=node@${digest}\nFROM $BASE\n`;
  expect(replaceableImages(file, { BASE: "node:22" })).toEqual(["node:22"]);
});

test.each(["coder", "coder:1", "registry.example:5000/coder:1"])("%s is replaceable", (image) => {
  expect(isReplaceable(image)).toBe(true);
});

test.each([
  `coder@${digest}`,
  `coder:1@${digest}`,
  digest,
  "a".repeat(64),
  "sett/agent-base:latest",
])("%s is not", (image) => {
  expect(isReplaceable(image)).toBe(false);
});
