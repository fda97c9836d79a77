// Whether an instance has a container of the API.
import type { SettConfig } from "../../../lib/model/config.ts";

export function hasApi({ services }: Pick<SettConfig, "services">): boolean {
  return services.api !== undefined;
}
