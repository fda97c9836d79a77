// A glob of the model as pathspecs of git, in which `**` crosses folders and `*` does not.
import { isAbsolute, relative } from "node:path";

/** A name without a slash is looked for in every folder. A folder's name also means what is in it. */
export function pathspecsOf(glob: string | undefined, root: string): string[] {
  const inside = glob !== undefined && isAbsolute(glob) ? relative(root, glob) : (glob ?? "");
  const path = inside.replace(/^(?:\.\/)+/, "").replace(/\/+$/, "");
  if (path === "" || path === "." || path === "**") return ["."];
  const pattern = path.includes("/") ? path : `**/${path}`;
  return [`:(glob)${pattern}`, `:(glob)${pattern}/**`];
}
