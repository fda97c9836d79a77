// Reads the request of a webhook, which is signed: what has happened at the forge.
import type { Forge } from "../model/trigger.ts";
import type { ForgeReading } from "./forge-event.ts";
import { forges } from "./forges.ts";
import type { Header } from "./hook.ts";

export function readForgeEvent(forge: Forge, header: Header, body: string): ForgeReading {
  let data: unknown;
  try {
    data = JSON.parse(body);
  } catch {
    return {
      kind: "unknown",
      reason: "The body is no JSON: choose the content type application/json for the webhook.",
    };
  }
  return forges[forge].read(header, data);
}
