// Images that a registry may replace, and those that a Dockerfile uses: who may push the tag
// decides what agents run.

import { imagesOf, parseDockerfile } from "./dockerfile.ts";

/** Sett's own are made on this machine, and have the version of the program. */
const own = /^sett\/(?:orchestrator|gateway|api|cub|agent-base|redis)(?::|$)/;

/** An image by its content: with a digest after its name, or by the id that an Engine gave it. */
const byContent = /@sha256:|^(?:sha256:)?[0-9a-f]{64}$/;

/**
 * Each that is named by a tag alone, or by no tag; the program that reads the file comes first.
 * `args`: what a build is given. Of another variable its default in the file counts; an image that
 * has none is not seen.
 */
export function replaceableImages(
  text: string,
  args: Readonly<Record<string, string>> = {},
): string[] {
  const dockerfile = parseDockerfile(text);
  const reader = dockerfile.syntax === undefined ? [] : [dockerfile.syntax.value];
  const images = [...reader, ...imagesOf(dockerfile, args)].filter(
    (image) => image.toLowerCase() !== "scratch" && isReplaceable(image),
  );
  return [...new Set(images)];
}

export function isReplaceable(image: string): boolean {
  return image !== "" && !byContent.test(image) && !image.includes("$") && !own.test(image);
}
