// Several streams of lines as one.

/**
 * The values of `first`, and of each stream that `more` gives, as they come. Ends with `first`;
 * what the others throw is passed over, because a worker's container may be removed at any time.
 * Throws what `first` throws.
 */
export async function* merged<Value>(
  first: AsyncIterable<Value>,
  more: AsyncIterable<AsyncIterable<Value>>,
): AsyncGenerator<Value> {
  let waiting: Value[] = [];
  let wake = () => {};
  let end: { error?: unknown } | undefined;
  const take = async (values: AsyncIterable<Value>) => {
    for await (const value of values) {
      waiting.push(value);
      wake();
    }
  };
  const finish = (how: { error?: unknown }) => {
    end ??= how;
    wake();
  };
  take(first).then(
    () => finish({}),
    (error: unknown) => finish({ error }),
  );
  const others = async () => {
    for await (const values of more) take(values).catch(() => undefined);
  };
  others().catch(() => undefined);
  for (;;) {
    const now = waiting;
    waiting = [];
    yield* now;
    if (waiting.length > 0) continue;
    if (end !== undefined) {
      if ("error" in end) throw end.error;
      return;
    }
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
}
