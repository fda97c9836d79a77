// Lines as the body of an answer.

const encoder = new TextEncoder();
/** A line alone is cheap to send, and many at once are cheaper. */
const atOnce = 64 * 1024;

/** Throws what the first line throws before the answer begins; ends quietly with what is thrown later. */
export async function lineStream(lines: AsyncIterable<string>): Promise<ReadableStream<Uint8Array>> {
  const iterator = lines[Symbol.asyncIterator]();
  let first: IteratorResult<string> | undefined;
  const begun = iterator.next().then((result) => {
    first = result;
  });
  // A log without a line yet is no error: it is followed.
  await Promise.race([begun, new Promise((resolve) => setTimeout(resolve, 200))]);
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          if (first === undefined) await begun;
          const { done, value } = first ?? (await iterator.next());
          first = undefined;
          if (done) controller.close();
          else controller.enqueue(encoder.encode(`${value}\n`));
        } catch {
          controller.close();
        }
      },
      async cancel() {
        await iterator.return?.();
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: atOnce }),
  );
}
