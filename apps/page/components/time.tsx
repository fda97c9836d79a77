// Times that go on: how long something takes, and how long ago something was.
import { useNow } from "../data/clock.ts";
import { ago, duration, fullTime } from "../text/words.ts";

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
      {ago(at, now)}
    </time>
  );
}
