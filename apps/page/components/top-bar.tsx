// The instance: its name, whether it works, pause and resume, who reads.
import { useSyncExternalStore } from "react";
import { actorName } from "../../../lib/words/actor-name.ts";
import { pausedBy } from "../../../lib/words/paused-by.ts";
import { post } from "../data/api.ts";
import { useInstance } from "../data/instance.ts";
import { stream } from "../data/stream.ts";
import { Action } from "./action.tsx";
import { Icon } from "./icon.tsx";
import { Line } from "./text.tsx";
import { Ago } from "./time.tsx";

export function TopBar() {
  const { data, refresh } = useInstance();
  const { state } = useSyncExternalStore(stream.watch, stream.connection);
  return (
    <header className="top-bar">
      <a className="brand" href="#/goals">
        <span className="brand-name">Sett</span>
        {data !== undefined && <span className="instance-name">{data.instance}</span>}
      </a>
      <span
        className={`live live-${state}`}
        title={state === "live" ? "Events arrive as they happen" : "Not connected"}
      >
        <span aria-hidden="true" className="live-dot" />
        <span>{state === "live" ? "live" : state === "lost" ? "not connected" : "connecting"}</span>
      </span>
      {data !== undefined && data.orchestrator?.alive !== true && (
        <span className="flag tone-failure">
          <span aria-hidden="true">✕ </span>no orchestrator works
        </span>
      )}
      {data?.redis?.problem != null && (
        <span className="flag tone-failure">
          <span aria-hidden="true">✕ </span>
          <Line text={data.redis.problem} />
        </span>
      )}
      {data?.paused != null && (
        <span className="flag tone-question">
          <span aria-hidden="true">‖ </span>paused by {pausedBy(data.paused.by)}{" "}
          <Ago at={data.paused.since} />
        </span>
      )}
      <span className="top-actions">
        {data !== undefined &&
          (data.paused === null ? (
            <Action right="control" act={() => post("/v1/pause", {}).then(refresh)}>
              Pause
            </Action>
          ) : (
            <Action
              right="control"
              className="primary"
              act={() => post("/v1/resume", {}).then(refresh)}
            >
              Resume
            </Action>
          ))}
        {data !== undefined && (
          <a className="who" href="#/you" title="Your name, rights, notifications and colours">
            <Icon name="you" />
            <span className="wide-only">
              <Line text={actorName(data.me.actor)} max={40} />
            </span>
          </a>
        )}
      </span>
    </header>
  );
}
