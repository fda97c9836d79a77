// Builds an image from a folder with a Dockerfile.
import { access, stat } from "node:fs/promises";
import { join, posix } from "node:path";
import { stripVTControlCharacters } from "node:util";
import type Docker from "dockerode";
import { SettError } from "../../model/errors.ts";
import { withoutUndefined } from "../../model/without-undefined.ts";
import type { BuildSpec, ImageInfo, Progress } from "../port.ts";
import { contextEntries } from "./build-context.ts";
import { ask, explain, reasonOf, statusOf } from "./errors.ts";
import { findImage } from "./images.ts";
import { type EngineMessage, jsonMessages } from "./json-messages.ts";

const shownLines = 20;

export async function buildImage(docker: Docker, spec: BuildSpec, { onProgress, signal }: Progress): Promise<ImageInfo> {
  const dockerfile = await checkedDockerfile(spec);
  const src = await contextEntries(spec.contextDir, dockerfile);
  const lastLines: string[] = [];
  const lines = lineSplitter((line) => {
    lastLines.push(line);
    if (lastLines.length > shownLines) lastLines.shift();
    onProgress(line);
  });
  let isBuilt = false;
  try {
    const stream = await docker.buildImage(
      { context: spec.contextDir, src },
      {
        t: spec.tag,
        dockerfile,
        buildargs: spec.args,
        labels: spec.labels,
        // Without it the container of a failed step stays behind.
        forcerm: true,
        ...withoutUndefined({ abortSignal: signal }),
      },
    );
    for await (const message of jsonMessages(stream)) {
      lines.push(textOf(message));
      // A build that failed is no HTTP error: the status is 200 and one of the messages has an `error`.
      if (message.error !== undefined) throw failed(spec, message.error, lastLines);
      if (message.aux?.ID !== undefined) isBuilt = true;
    }
  } catch (error) {
    // A status: the Engine refused before the first step, for instance a Dockerfile it cannot parse.
    throw statusOf(error) === undefined
      ? explain(error, `build ${spec.tag}`, signal)
      : failed(spec, reasonOf(error), lastLines, error);
  }
  const image = await ask(`look for the image ${spec.tag}`, () => findImage(docker, spec.tag));
  // An older image may carry the tag, so that its presence alone proves nothing.
  if (!isBuilt || image === undefined) throw failed(spec, "the build's output ended early", lastLines);
  return image;
}

/** The Dockerfile's path inside the context, as the Engine wants it. */
async function checkedDockerfile(spec: BuildSpec): Promise<string> {
  const context = await stat(spec.contextDir).catch(() => undefined);
  if (context === undefined || !context.isDirectory()) {
    const what = context === undefined ? "does not exist" : "is not a folder";
    throw new SettError("build-failed", `The build context ${spec.contextDir} of ${spec.tag} ${what}.`, {
      hint: "`build.context` in sett.yml is relative to that file.",
    });
  }
  const dockerfile = posix.normalize(spec.dockerfile);
  if (posix.isAbsolute(dockerfile) || dockerfile.startsWith("..")) {
    throw new SettError("build-failed", `The Dockerfile ${spec.dockerfile} of ${spec.tag} is outside its build context.`, {
      hint: `Put it into ${spec.contextDir}, or widen the context.`,
    });
  }
  const isThere = await access(join(spec.contextDir, dockerfile)).then(
    () => true,
    () => false,
  );
  if (!isThere) {
    throw new SettError("build-failed", `There is no ${dockerfile} in the build context ${spec.contextDir} of ${spec.tag}.`, {
      hint: "`build.dockerfile` in sett.yml is relative to `build.context`.",
    });
  }
  return dockerfile;
}

function failed(spec: BuildSpec, reason: string, lastLines: string[], cause?: unknown): SettError {
  const output = lastLines.length === 0 ? "" : `\n${lastLines.map((line) => `  ${line}`).join("\n")}`;
  const hint = /cannot locate specified dockerfile/i.test(reason)
    ? "Does .dockerignore exclude it?"
    : `Fix it, or try it by hand: docker build ${quoted(spec.contextDir)}`;
  return new SettError("build-failed", `The image ${spec.tag} could not be built: ${shortReason(reason.trim())}${output}`, {
    hint,
    cause,
  });
}

/** The Engine repeats the whole script in its reason: the beginning is enough, because the output follows. */
function shortReason(reason: string): string {
  if (reason.length <= 200) return reason;
  return reason.replace(/^(The command '[^\n]{0,100})[\s\S]*(' returned a non-zero code: \d+)$/, "$1 …$2");
}

/** For a shell. */
function quoted(path: string): string {
  return /^[\w./@:+-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

/** The text of a message for people: output of a step, or the progress of pulling the base image. */
function textOf(message: EngineMessage): string {
  if (message.stream !== undefined) return message.stream;
  if (message.status === undefined) return "";
  return `${[message.id, message.status, message.progress].filter((part) => part !== undefined).join(" ")}\n`;
}

/** Output comes in pieces of any size; people read lines. A tool's colours would end up in error messages and logs. */
function lineSplitter(onLine: (line: string) => void): { push: (text: string) => void } {
  let rest = "";
  return {
    push(text) {
      const lines = (rest + text).split(/\r?\n/);
      rest = lines.pop() ?? "";
      for (const line of lines.map(stripVTControlCharacters)) if (line.trim() !== "") onLine(line);
    },
  };
}
