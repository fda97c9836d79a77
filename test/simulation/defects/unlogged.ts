// A mistake that several have in common.
import type { EventType } from "../../../lib/model/event.ts";
import type { Planting } from "../planting.ts";

/** What the event says happens, and the log has no entry of it. */
export function unlogged(planting: Planting, type: EventType): void {
  const isLost = `if event.type == '${type}' then return '1-1' end`;
  for (const writer of ["append_event", "log"])
    planting.lua(
      `local function ${writer}(event)\n`,
      `local function ${writer}(event)\n  ${isLost}\n`,
    );
}
