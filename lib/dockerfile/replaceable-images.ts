// The images that a Dockerfile uses, and that a registry may replace: who may push the tag decides
// what agents run.

import { imagesOf, parseDockerfile } from "./dockerfile.ts";

/** Sett's own are made on this machine, and have the version of the program. */
const own = /^sett\/(?:orchestrator|gateway|api|cub|agent-base|redis)(?::|$)/;

/**
 * Each that is named by a tag alone, or by no tag; the program that reads the file comes first. Of
 * a variable its default in the file counts; an image that has none is not seen.
 */
export function replaceableImages(text: string): string[] {
  const dockerfile = parseDockerfile(text);
  const reader = dockerfile.syntax === undefined ? [] : [dockerfile.syntax.value];
  const images = [...reader, ...imagesOf(dockerfile, {})].filter(
    (image) =>
      image !== "" &&
      image.toLowerCase() !== "scratch" &&
      !image.includes("@sha256:") &&
      !image.includes("$") &&
      !own.test(image),
  );
  return [...new Set(images)];
}
