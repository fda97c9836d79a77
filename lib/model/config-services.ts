// The `services` of sett.yml: Sett's own containers.
import { z } from "zod";
import { ApiService } from "./config-api.ts";
import { ImageName } from "./config-names.ts";
import { Port } from "./config-quantities.ts";
import { RedisService } from "./config-redis.ts";

const Orchestrator = z.strictObject({
  image: ImageName.optional().describe(
    "The orchestrator's image. Default: the one that belongs to this `sett`.",
  ),
  health_port: Port.optional().describe(
    "The port of `/healthz` and `/metrics` in the container. Default: 8080.",
  ),
});

export const Services = z.strictObject({
  api: ApiService.optional().describe(
    "The API and its page, for other machines and for teams. Default: none; `sett ui` shows the page here.",
  ),
  orchestrator: Orchestrator.prefault({}).describe("The orchestrator's container."),
  packs: z
    .enum(["folders", "service"], {
      error: "must be `folders` or `service`",
    })
    .default("folders")
    .describe(
      "How agents reach the repository's commits, and leave their own: `folders` of the repository that their containers have, or a `service` beside them, where the Engine does not see this machine's files.",
    ),
  redis: RedisService.prefault({}).describe(
    "Redis' container, or where Redis is, and how the services reach it.",
  ),
  reach: z
    .enum(["sockets", "tls"])
    .default("sockets")
    .describe(
      "How agents in containers reach the gateway and the egress proxy: by sockets, or by TLS with a proof of who they are.",
    ),
});
