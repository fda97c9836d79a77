// The images that a Dockerfile begins from, and that a registry may replace: who may push the tag
// decides what agents run.

const from = /^\s*FROM\s+(?:--\S+\s+)*(?<image>\S+)(?:\s+AS\s+(?<stage>\S+))?\s*$/i;
/** Sett's own are made on this machine, and have the version of the program. */
const own = /^sett\//;

/** Each that is named by a tag alone, or by no tag. An image that a variable names is not seen. */
export function replaceableImages(dockerfile: string): string[] {
  const stages = new Set(["scratch"]);
  const found = new Set<string>();
  // A line that ends with a backslash goes on.
  for (const line of dockerfile.replace(/\\\r?\n/g, " ").split(/\r?\n/)) {
    const { image, stage } = from.exec(line)?.groups ?? {};
    if (image === undefined) continue;
    const isNamedForGood = image.includes("@sha256:") || image.includes("$") || own.test(image);
    if (!isNamedForGood && !stages.has(image.toLowerCase())) found.add(image);
    if (stage !== undefined) stages.add(stage.toLowerCase());
  }
  return [...found];
}
