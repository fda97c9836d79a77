// Lines as the body of an answer.

const encoder = new TextEncoder();
/** A line alone is cheap to send, and many at once are cheaper. */
const atOnce = 64 * 1024;

/**
 * `end`: called when it is over. Throws what the first line throws before the answer begins; ends
 * quietly with what is thrown later.
 */
export async function lineStream(
  lines: AsyncIterable<string>,
  end: () => void,
): Promise<ReadableStream<Uint8Array>> {
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
          if (!done) return controller.enqueue(encoder.encode(`${value}\n`));
          controller.close();
          end();
        } catch {
          controller.close();
          end();
        }
      },
      cancel() {
        // The signal ends what waits for a line.
        end();
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: atOnce }),
  );
}
