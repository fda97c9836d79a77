// Holds large answers for clients that take them slowly: many of them must not fill the memory of
// the API's container.
import { tmpdir } from "node:os";
import { throughFile } from "./through-file.ts";

/** Larger ones wait in a file. */
const maxInMemory = 1024 * 1024;

/** The body of an answer. `folder`: of the file; undefined: that of the system. */
export async function answerBody(
  content: string | Uint8Array<ArrayBuffer>,
  folder: string = tmpdir(),
): Promise<string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>> {
  if (content.length <= maxInMemory) return content;
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  return await throughFile(folder, async (onPart) => onPart(bytes));
}
