// The events that a filter lets through: the newest ones, older ones on demand, and new ones as
// they happen.
import { useEffect, useRef, useState } from "react";
import { isLater } from "../../../../lib/model/stream-id.ts";
import { actorName } from "../../../../lib/words/actor-name.ts";
import { type ApiError, getJson } from "../../data/api.ts";
import type { Page, SettEvent } from "../../data/contract.ts";
import { asApiError } from "../../data/query.ts";
import { stream } from "../../data/stream.ts";

export type EventFilter = { goal?: string; type?: string; agent?: string; actor?: string };

const pageSize = 300;
const maxKept = 20_000;
/** After every event of the log. */
const endOfTime = "$";

type State = {
  events: SettEvent[];
  isComplete: boolean;
  isReading: boolean;
  error: ApiError | undefined;
};
const empty: State = { events: [], isComplete: false, isReading: true, error: undefined };

export function useEvents(filter: EventFilter) {
  const [state, setState] = useState<State>(empty);
  const [isPaused, setIsPaused] = useState(false);
  const paused = useRef<{ is: boolean; events: SettEvent[] }>({ is: false, events: [] });
  const key = JSON.stringify(filter);

  useEffect(() => {
    const wanted: EventFilter = JSON.parse(key);
    const over = new AbortController();
    setState(empty);
    paused.current.events = [];
    const fail = (error: unknown) => {
      if (!over.signal.aborted)
        setState((before) => ({ ...before, isReading: false, error: asApiError(error) }));
    };
    const readNewest = () =>
      readBefore(wanted, undefined, over.signal).then((events) => {
        if (over.signal.aborted) return;
        setState((before) => ({
          events: merged(events, before.events),
          isComplete: events.length < pageSize,
          isReading: false,
          error: undefined,
        }));
      }, fail);
    void readNewest();
    const unlisten = stream.listen((arrived) => {
      const events = arrived.filter((event) => isLike(event, wanted));
      if (events.length === 0) return;
      if (paused.current.is)
        paused.current.events = [...paused.current.events, ...events].slice(-maxKept);
      else setState((before) => ({ ...before, events: merged(before.events, events) }));
    });
    const unopen = stream.onOpen(() => void readNewest());
    return () => {
      over.abort();
      unlisten();
      unopen();
    };
  }, [key]);

  const readOlder = () => {
    const first = state.events[0]?.id;
    setState((before) => ({ ...before, isReading: true }));
    readBefore(filter, first, AbortSignal.timeout(20_000)).then(
      (events) =>
        setState((before) => ({
          events: merged(events, before.events),
          isComplete: events.length < pageSize,
          isReading: false,
          error: undefined,
        })),
      (error: unknown) =>
        setState((before) => ({ ...before, isReading: false, error: asApiError(error) })),
    );
  };
  const turn = () => {
    const { is, events } = paused.current;
    paused.current = { is: !is, events: [] };
    setIsPaused(!is);
    if (is && events.length > 0)
      setState((before) => ({ ...before, events: merged(before.events, events) }));
  };
  return { ...state, readOlder, isPaused, turn };
}

async function readBefore(
  filter: EventFilter,
  before: string | undefined,
  signal: AbortSignal,
): Promise<SettEvent[]> {
  const page = await getJson<Page<SettEvent>>(
    "/v1/events",
    { ...filter, before: before ?? endOfTime, limit: pageSize },
    signal,
  );
  return page.items;
}

/** Both are oldest first; each event once. */
function merged(one: readonly SettEvent[], other: readonly SettEvent[]): SettEvent[] {
  const [first, last] = [other[0], one.at(-1)];
  if (first === undefined) return [...one];
  if (last === undefined || isLater(first.id, last.id)) return [...one, ...other].slice(-maxKept);
  const all = new Map([...one, ...other].map((event) => [event.id, event]));
  return [...all.values()].sort((a, b) => (isLater(a.id, b.id) ? 1 : -1)).slice(-maxKept);
}

/** As the API filters: by the beginning of the goal's id, exact types and agents. */
function isLike({ goal_id, type, agent, actor }: SettEvent, wanted: EventFilter): boolean {
  if (wanted.goal !== undefined && goal_id?.startsWith(wanted.goal) !== true) return false;
  if (wanted.type !== undefined && !wanted.type.split(",").includes(type)) return false;
  if (wanted.agent !== undefined && agent !== wanted.agent && actorName(actor) !== wanted.agent)
    return false;
  return wanted.actor === undefined || actor.startsWith(wanted.actor);
}
