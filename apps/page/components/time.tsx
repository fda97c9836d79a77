// Times that go on: how long something takes, and how long ago something was.

import { agoOf, duration, fullTime } from "../../../lib/words/age.ts";
import { useNow } from "../data/clock.ts";

export function Elapsed({ since }: { since: string }) {
  const now = useNow();
  return (
    <time className="elapsed" dateTime={since} title={`since ${fullTime(since)}`}>
      {duration(now - Date.parse(since))}
    </time>
  );
}

export function Ago({ at }: { at: string }) {
  const now = useNow();
  return (
    <time dateTime={at} title={fullTime(at)}>
      {agoOf(at, now)}
    </time>
  );
}
