// Holds what a view has read from the API, read again when an event says that it has changed. At
// most one request of a query is under way.
import { useEffect, useRef, useState } from "react";
import { ApiError } from "./api.ts";
import type { SettEvent } from "./contract.ts";
import { stream } from "./stream.ts";

export type Reading<Data> = {
  data: Data | undefined;
  error: ApiError | undefined;
  refresh: () => void;
};

type Options<Data> = {
  /** Says which events make what was read old; undefined: none does. */
  changedBy?: (event: SettEvent, data: Data | undefined) => boolean;
  /** Between two requests, at least. */
  pauseMs?: number;
  /**
   * Asked again after so long, too, while the page is in view: for what changes without an event.
   */
  everyMs?: number | undefined;
};

/** After an answer that will be another one soon. */
const retryMs = 3_000;

const none = { data: undefined, error: undefined };

/** `key`: what is asked; undefined asks nothing. A new key drops what was read for the old one. */
export function useQuery<Data>(
  key: string | undefined,
  read: (signal: AbortSignal) => Promise<Data>,
  { changedBy, pauseMs = 0, everyMs }: Options<Data> = {},
): Reading<Data> {
  const [reading, setReading] = useState<
    { key: string | undefined } & Omit<Reading<Data>, "refresh">
  >({ key, ...none });
  const latest = useRef({ read, changedBy, data: reading.data });
  latest.current = { read, changedBy, data: reading.key === key ? reading.data : undefined };
  const refresh = useRef<() => void>(() => undefined);

  useEffect(() => {
    if (key === undefined) return;
    const over = new AbortController();
    let isUnderWay = false;
    let isAskedAgain = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = async () => {
      if (isUnderWay || timer !== undefined) {
        isAskedAgain = true;
        return;
      }
      isUnderWay = true;
      isAskedAgain = false;
      const result = await latest.current.read(over.signal).then(
        (data) => ({ data, error: undefined }),
        (error: unknown) => ({ error: asApiError(error) }),
      );
      isUnderWay = false;
      if (over.signal.aborted) return;
      setReading((before) => ({
        data: before.key === key ? before.data : undefined,
        ...result,
        key,
      }));
      const wait = isPassing(result.error) ? retryMs : pauseMs;
      isAskedAgain ||= isPassing(result.error);
      if (wait > 0)
        timer = setTimeout(() => {
          timer = undefined;
          if (isAskedAgain) void ask();
        }, wait);
      else if (isAskedAgain) void ask();
    };
    refresh.current = () => void ask();
    void ask();
    const unlisten = stream.listen((events) => {
      const { changedBy: isChange, data } = latest.current;
      if (isChange !== undefined && events.some((event) => isChange(event, data))) void ask();
    });
    const unopen = stream.onOpen(() => void ask());
    const clock =
      everyMs === undefined ? undefined : setInterval(() => document.hidden || void ask(), everyMs);
    return () => {
      over.abort();
      clearTimeout(timer);
      clearInterval(clock);
      unlisten();
      unopen();
    };
  }, [key, pauseMs, everyMs]);

  const { key: of, ...rest } = reading;
  return { ...(of === key ? rest : none), refresh: () => refresh.current() };
}

/**
 * Too many requests, or Redis is away for a while. Where there is no answer at all, the stream's
 * next opening asks again.
 */
function isPassing(error: ApiError | undefined): boolean {
  return error?.status === 429 || error?.status === 503;
}

export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return new ApiError({
    status: 0,
    code: "unexpected",
    message: error instanceof Error ? error.message : String(error),
  });
}
