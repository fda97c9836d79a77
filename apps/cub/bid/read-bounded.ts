// Reads the body of a response, and no more of it than an answer can have.

const maxBytes = 4 * 1024 * 1024;

/** Throws a sentence for a longer one. */
export async function readBounded({ body }: Response): Promise<string> {
  if (body === null) return "";
  const text = new TextDecoder();
  let whole = "";
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    // Leaving the loop cancels the body.
    if (bytes > maxBytes) throw new Error(`The answer has more than ${maxBytes / 1024 ** 2} MiB.`);
    whole += text.decode(chunk, { stream: true });
  }
  return whole + text.decode();
}
