// Says whether an instance has the API.
import type { SettConfig } from "../../../lib/model/config.ts";

/** Triggers run in it, also where no person or program asks it anything. */
export function hasApi({ services, triggers }: Pick<SettConfig, "services" | "triggers">): boolean {
  return services.api !== undefined || triggers.length > 0;
}
