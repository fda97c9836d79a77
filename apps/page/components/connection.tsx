// Says when the page is not connected, since when, and that it is again. It does not chatter: a
// short loss is not announced.
import { useEffect, useState, useSyncExternalStore } from "react";
import { stream } from "../data/stream.ts";
import { Elapsed } from "./time.tsx";

const graceMs = 1_200;
const backMs = 4_000;

export function Connection() {
  const { state, since } = useSyncExternalStore(stream.watch, stream.connection);
  const [shown, setShown] = useState<"none" | "lost" | "back">("none");
  useEffect(() => {
    if (state === "lost") {
      const timer = setTimeout(() => setShown("lost"), graceMs);
      return () => clearTimeout(timer);
    }
    setShown((before) => (before === "lost" ? "back" : before));
    const timer = setTimeout(
      () => setShown((before) => (before === "back" ? "none" : before)),
      backMs,
    );
    return () => clearTimeout(timer);
  }, [state]);
  return (
    <div className="connection" role="status" data-state={shown}>
      {shown === "lost" && (
        <p>
          <span aria-hidden="true">⚡ </span>Not connected. What you see may be old. Trying again.{" "}
          <span aria-hidden="true">
            <Elapsed since={new Date(since).toISOString()} />
          </span>{" "}
          <button type="button" className="small" onClick={() => stream.retryNow()}>
            Try now
          </button>
        </p>
      )}
      {shown === "back" && (
        <p>
          <span aria-hidden="true">✓ </span>Connected again.
        </p>
      )}
    </div>
  );
}
