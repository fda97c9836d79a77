// A glob of the model as pathspecs of git, in which `**` crosses folders and `*` does not.
import { isAbsolute, relative } from "node:path";
import { readName, textOf } from "../../../../lib/git/run/file-name.ts";

/**
 * A name without a slash is looked for in every folder. A folder's name also means what is in it.
 */
export function pathspecsOf(glob: string | undefined, root: string): string[] {
  if (glob?.startsWith('"')) return nameSpecs(readName(glob));
  const inside = glob !== undefined && isAbsolute(glob) ? relative(root, glob) : (glob ?? "");
  const path = inside.replace(/^(?:\.\/)+/, "").replace(/\/+$/, "");
  if (path === "" || path === "." || path === "**") return ["."];
  const anywhere = path.includes("/") ? "" : "**/";
  // A name that is listed is taken as it is, and so are its folders: `app/[id]/*.tsx`.
  const patterns = new Set([path, path.replace(/[[\]]/g, "\\$&"), withoutWildcards(path)]);
  return [...patterns].flatMap((pattern) => specsOf(`${anywhere}${pattern}`));
}

/**
 * A name in quotes has no wildcards. An argument of git is UTF-8, so bytes that are none match as
 * any byte.
 */
function nameSpecs(name: string): string[] {
  const text = textOf(name) ?? name.replace(/[\x80-\xff]/g, "\0");
  return specsOf(withoutWildcards(text).replaceAll("\0", "?"));
}

function withoutWildcards(text: string): string {
  return text.replace(/[\\*?[\]]/g, "\\$&");
}

function specsOf(pattern: string): string[] {
  return [`:(glob)${pattern}`, `:(glob)${pattern}/**`];
}
