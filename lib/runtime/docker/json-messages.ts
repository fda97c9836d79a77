// The progress of a pull or a build: JSON messages, one a line, as the Engine streams them.

/** A message of the Engine; each has some of these members. */
export type EngineMessage = {
  /** A piece of a build's output, not always a whole line. */
  stream?: string;
  status?: string;
  id?: string;
  progress?: string;
  error?: string;
  /** `ID` is a finished image. */
  aux?: { ID?: string };
};

/**
 * Reads the messages to the end; throws what the stream throws. dockerode's own `followProgress` is
 * not used: it takes a connection that closed early for the end.
 */
export async function* jsonMessages(
  stream: AsyncIterable<string | Uint8Array>,
): AsyncGenerator<EngineMessage> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of stream) {
    rest += typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true });
    const lines = rest.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      // The Engine's format is trusted: every field is optional.
      if (line.trim() !== "") yield JSON.parse(line) as EngineMessage;
    }
  }
}
