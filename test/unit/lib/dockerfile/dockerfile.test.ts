import { expect, test } from "bun:test";
import {
  baseImagesOf,
  hasUnusedStage,
  needOfBuildKit,
  parseDockerfile,
  platformVariablesOf,
} from "../../../../lib/dockerfile/dockerfile.ts";

const need = (text: string, args = {}) => needOfBuildKit(parseDockerfile(text), args);

test.each([
  ["FROM a\nRUN <<EOF\necho\nEOF\n", 2, "RUN <<EOF"],
  ["FROM a\n\n# x\nCOPY <<-'END' /b\n\tEND\n", 4, "COPY <<-'END'"],
  ["FROM a\nRUN cat \\\n  <<A 3<<B\n1\nA\n2\nB\n", 2, "RUN <<A"],
  ["FROM a\nrun --mount=type=cache,target=/c true\n", 2, "RUN --mount"],
  ["FROM a\nRUN --network=none true\n", 2, "RUN --network"],
  ["FROM a\nCOPY --chown=1:1 --link b /b\n", 2, "COPY --link"],
  ["FROM a\nCOPY --chmod=755 b /b\n", 2, "COPY --chmod"],
  ["FROM a\nADD --checksum=sha256:1 https://b /b\n", 2, "ADD --checksum"],
  [
    "FROM a\nADD https://forge.example/a/b.git#main:docs /b\n",
    2,
    "ADD https://forge.example/a/b.git#main:docs",
  ],
  ['FROM a\nADD ["git@forge.example:a/b.git", "/b"]\n', 2, "ADD git@forge.example:a/b.git"],
  ["FROM a\nONBUILD RUN --mount=type=cache,target=/c true\n", 2, "RUN --mount"],
  ["FROM --platform=$BUILDPLATFORM a\n", 1, "FROM with $BUILDPLATFORM"],
  [`FROM a:\${TARGETARCH}\n`, 1, "FROM with $TARGETARCH"],
  [`ARG TARGETARCH\nFROM a:\${TARGETARCH}\n`, 2, "FROM with $TARGETARCH"],
  ["# syntax=docker/dockerfile:1-labs\nFROM a\n", 1, "# syntax=docker/dockerfile:1-labs"],
  ["# escape=`\n# syntax=example.com/other\nFROM a\n", 2, "# syntax=example.com/other"],
  [
    "# escape=`\r\nFROM a\r\nRUN a `\r\n  b\r\nRUN --mount=type=tmpfs,target=/c c",
    5,
    "RUN --mount",
  ],
] as const)("only BuildKit builds %j", (text, line, what) => {
  expect(need(text)).toEqual({ line, what });
});

test.each([
  ["# syntax=docker/dockerfile:1\nFROM a\nCOPY --from=b --chown=1 c d\n"],
  ["# syntax = docker.io/docker/dockerfile:1.7@sha256:0\nFROM a\n"],
  ["FROM a\n# syntax=example.com/other\n"],
  ["FROM --platform=linux/amd64 a\nHEALTHCHECK --interval=1s CMD true\n"],
  ["ARG TARGETARCH=amd64\nFROM a:$TARGETARCH\n"],
  ["FROM a\nARG TARGETARCH\nRUN echo $TARGETARCH\n"],
  // In quotes, in a list of words, in a comment, and where no line ends it: no heredoc.
  [
    'FROM a\nRUN sh -c "cat <<EOF"\nRUN ["cat", "<<EOF"]\nRUN cat <<< x\n# <<EOF\nENV A=<<EOF\nEOF\n',
  ],
  ["FROM a\nRUN echo $((1 <<2)) $((1<<2))\nRUN true --mount\n"],
])("no BuildKit is needed for %j", (text) => {
  expect(need(text)).toBeUndefined();
});

test.each([
  ["FROM a\nRUN cat > /b <<EOF\n", [2, "EOF"]],
  ["FROM a\nCOPY <<-'END' <<TWO /b\n\tEND\nTWO \nUSER c\n", [2, "TWO"]],
  ["FROM a\nRUN cat <<EOF > /b\n  EOF\n", [2, "EOF"]],
  ["FROM a\nRUN echo $(( 1 <<n )) && cat <<EOF\n", [2, "EOF"]],
  ["FROM a\nRUN echo $(( 1 <<n )) $((1 <<2))\nRUN cat <<EOF\nEOF\n", undefined],
] as const)("a heredoc that no line ends is known in %j", (text, found) => {
  const open = parseDockerfile(text).instructions.find(
    ({ openHeredoc }) => openHeredoc !== undefined,
  );
  expect(open && [open.line, open.openHeredoc]).toEqual(found as never);
});

test("a variable of the platform that the build's arguments give needs no BuildKit", () => {
  expect(
    need("FROM --platform=$BUILDPLATFORM a\n", { BUILDPLATFORM: "linux/amd64" }),
  ).toBeUndefined();
});

test("what a heredoc holds is no instruction", () => {
  const { instructions } = parseDockerfile(
    "FROM a\nCOPY <<ONE <<TWO /\nFROM b\nONE\nRUN c\nTWO\nUSER d\n",
  );
  expect(instructions.map(({ line, keyword }) => [line, keyword])).toEqual([
    [1, "FROM"],
    [2, "COPY"],
    [7, "USER"],
  ]);
});

test("variables of the platform are those that a stage declares and leaves open", () => {
  const text =
    "ARG TARGETOS\nFROM a\nARG TARGETARCH BUILDPLATFORM\nARG TARGETARCH\nARG TARGETVARIANT=v8\nARG OTHER\n";
  expect(platformVariablesOf(parseDockerfile(text))).toEqual([
    "TARGETOS",
    "TARGETARCH",
    "BUILDPLATFORM",
  ]);
});

test.each([
  [
    "FROM a:1 AS one\nFROM --platform=linux/amd64 ONE\nCOPY --from=b c d\nCOPY --from=0 c d\n",
    ["a:1", "b"],
  ],
  ["FROM scratch\nRUN --mount=type=bind,from=e,target=/e true\n", ["scratch", "e"]],
  ["FROM a\nRUN <<EOF\nFROM b\nEOF\n", ["a"]],
  ["ARG A\nFROM $A\n", undefined],
  ["RUN true\n", undefined],
])("the base images of %j", (text, images) => {
  expect(baseImagesOf(parseDockerfile(text), {})).toEqual(images);
});

test.each([
  ["ARG IMAGE=debian:12\nFROM $IMAGE\n", ["debian:12"]],
  [
    `ARG NAME='debian' TAG="12"\nARG IMAGE=\${NAME}:\${TAG}\nFROM \${IMAGE} AS one\nFROM one\n`,
    ["debian:given"],
  ],
  ["ARG TAG\nFROM a:$TAG\n", ["a:given"]],
  [`ARG TAG=12\nFROM a:\${TAG}\n`, ["a:given"]],
  [`FROM a:\${OTHER:-1}\nFROM b:\${OTHER-2}\n`, ["a:1", "b:2"]],
  ["FROM a\nARG IMAGE=b\nFROM $IMAGE\n", undefined],
  [`FROM a:\${TARGETARCH:-amd64}\n`, undefined],
  [`ARG A=\${B}\nFROM $A\n`, undefined],
  [`ARG A=b E=\nFROM \${A:+c}\nFROM d\${E:+e}\${E+f}\n`, ["c", "df"]],
  ["FROM a AS a\nFROM a\nCOPY --from=later c d\nFROM b AS later\n", ["a", "later", "b"]],
])("the base images of %j, which variables name", (text, images) => {
  expect(baseImagesOf(parseDockerfile(text), { TAG: "given", UNUSED: "x" })).toEqual(images);
});

test("where the arguments are not known, neither is an image that a variable names", () => {
  expect(baseImagesOf(parseDockerfile(`ARG A=b\nFROM \${A}\n`), undefined)).toBeUndefined();
});

test.each([
  ["FROM a\n", false],
  ["FROM a AS test\nRUN false\nFROM b\n", true],
  ["FROM a AS One\nFROM one AS two\nFROM b\nCOPY --from=TWO c d\n", false],
  ["FROM a AS one\nFROM one AS test\nFROM one\n", true],
  ["FROM a\nFROM b\nCOPY --from=0 c d\n", false],
  ["FROM a AS one\nFROM b\nRUN --mount=type=bind,from=one,target=/c true\n", false],
])("%j has a stage that nothing uses: %p", (text, isUnused) => {
  expect(hasUnusedStage(parseDockerfile(text))).toBe(isUnused);
});

test("two marks at the end of a line are one that is meant, and end the instruction", () => {
  expect(need("FROM a\nRUN echo b\\\\\nRUN --mount=type=tmpfs,target=/c c\n")).toEqual({
    line: 3,
    what: "RUN --mount",
  });
});

test("the frontend is named after a first line for a shell, too", () => {
  const text = "#!/usr/bin/env -S docker build -f\n# syntax=example.com/other\nFROM a\n";
  expect(need(text)).toEqual({ line: 2, what: "# syntax=example.com/other" });
});
