// The instance that the page shows, for every view: its name, who reads, whether it is paused, how
// many questions wait.
import { createContext, useContext, useEffect } from "react";
import { getJson } from "./api.ts";
import { setServerTime } from "./clock.ts";
import type { Instance, SettEvent } from "./contract.ts";
import { type Reading, useQuery } from "./query.ts";
import { stream } from "./stream.ts";

/** While there is no stream. */
const askAgainMs = 3_000;

const changing = new Set<SettEvent["type"]>([
  "instance_paused",
  "instance_resumed",
  "orchestrator_started",
  "question_asked",
  "question_closed",
  "grant_waiting",
  "grant_done",
  "grant_cancelled",
  "claim_opened",
  "claim_completed",
  "claim_terminated",
  "goal_ended",
]);

export function useInstanceReading(): Reading<Instance> {
  const read = async (signal: AbortSignal) => {
    const instance = await getJson<Instance>("/v1/instance", {}, signal);
    setServerTime(instance.now);
    return instance;
  };
  const reading = useQuery("/v1/instance", read, { changedBy: changesInstance, pauseMs: 300 });
  const { refresh } = reading;
  useEffect(() => {
    // A stream does not say why it cannot be opened: where the page is no longer signed in, this
    // does.
    const timer = setInterval(() => stream.connection().state === "lost" && refresh(), askAgainMs);
    return () => clearInterval(timer);
  }, [refresh]);
  return reading;
}

function changesInstance({ type, data, artefact_id, goal_id }: SettEvent): boolean {
  if (type !== "artefact_created") return changing.has(type);
  return data?.structural_type === "Answer" || String(artefact_id) === String(goal_id);
}

export const InstanceContext = createContext<Reading<Instance>>({
  data: undefined,
  error: undefined,
  refresh: () => undefined,
});

export function useInstance(): Reading<Instance> {
  return useContext(InstanceContext);
}
