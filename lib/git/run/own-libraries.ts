// Variables for a git that was brought with libraries of its own, such as the one beside the cub.
import { join } from "node:path";

/**
 * `path`: the folder of the libraries; none without it. The encodings that `working-tree-encoding`
 * may name are libraries as well: those of an image fit only its own libc, and without them git
 * writes such a file in UTF-8, and goes on.
 */
export function ownLibraries(path: string | undefined): Record<string, string> {
  return path === undefined ? {} : { LD_LIBRARY_PATH: path, GCONV_PATH: join(path, "gconv") };
}
