// The `services` of sett.yml: Sett's own containers.
import { z } from "zod";
import { ApiService } from "./config-api.ts";
import { ImageName } from "./config-names.ts";
import { Duration, durationBetween, Port } from "./config-quantities.ts";
import { ServiceResources } from "./config-resources.ts";

const Orchestrator = z.strictObject({
  image: ImageName.optional().describe(
    "The orchestrator's image. Default: the one that belongs to this `sett`.",
  ),
  health_port: Port.optional().describe(
    "The port of `/healthz` and `/metrics` in the container. Default: 8080.",
  ),
});

const Redis = z
  .strictObject({
    image: ImageName.optional().describe(
      "The image of Redis. Default: the one that belongs to this `sett`.",
    ),
    resources: ServiceResources.prefault({}).describe(
      "What Redis' container may use. Redis fills half of its memory.",
    ),
    timeout: durationBetween([100, "100ms"], [60_000, "1m"])
      .prefault("3s")
      .describe("How long a service waits for one answer before it calls Redis unreachable."),
    give_up: Duration.prefault("60s").describe(
      "A service that has been without Redis for so long ends; a cub that has work in hand does not.",
    ),
  })
  .refine(({ timeout, give_up }) => give_up >= timeout, {
    path: ["give_up"],
    error: "must not be less than `timeout`",
  })
  .transform(({ timeout, give_up, ...redis }) => ({
    ...redis,
    timeout_ms: timeout,
    give_up_ms: give_up,
  }));

export const Services = z.strictObject({
  api: ApiService.optional().describe(
    "The API and its page, for other machines and for teams. Default: none; `sett ui` shows the page here.",
  ),
  orchestrator: Orchestrator.prefault({}).describe("The orchestrator's container."),
  redis: Redis.prefault({}).describe("Redis' container, and how the services reach it."),
});
