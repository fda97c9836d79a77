import { expect, test } from "bun:test";
import { replaceableImages } from "../../../../lib/config/base-images.ts";

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
