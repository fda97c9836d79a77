// `services.redis` of sett.yml: the instance's own Redis, or one that is there already.
import { z } from "zod";
import { ImageName } from "./config-names.ts";
import { Duration, durationBetween } from "./config-quantities.ts";
import { ServiceResources } from "./config-resources.ts";
import { SecretName } from "./config-secrets.ts";

/** `redis://`, or `rediss://` with TLS; a user, but no path and nothing behind it. */
const RedisAddress = z.string().refine(isRedisAddress, {
  error:
    "must be an address such as `rediss://redis.example.org:6380`, with no path: the first database of that Redis has the blackboard",
});

function isRedisAddress(text: string): boolean {
  const url = URL.parse(text);
  return (
    url !== null &&
    /^rediss?:$/.test(url.protocol) &&
    url.hostname !== "" &&
    url.port !== "0" &&
    `${url.pathname}${url.search}${url.hash}`.replace(/^\/$/, "") === ""
  );
}

export const RedisService = z
  .strictObject({
    url: RedisAddress.optional().describe(
      "A Redis that is there already, in place of an own one: `rediss://` encrypts. Its user may be in it.",
    ),
    ca: z
      .string()
      .min(1, { error: "must not be empty" })
      .optional()
      .describe(
        "With `url`: a file of certificates in PEM, of the authority that has signed that of Redis. Default: those that everybody knows.",
      ),
    secret: SecretName.optional().describe(
      "With `url`: the name in `secrets` of the password with which `sett up` prepares that Redis. No container gets it.",
    ),
    users: SecretName.optional().describe(
      "With `url`, where `sett up` may make no users there: the name in `secrets` of the text from which the passwords of the instance's users come. `sett up --print-users` lists these users. No container gets it.",
    ),
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
      "A service that has been without Redis for so long ends, and so does `sett up`; a cub that has work in hand does not, nor does a gateway with calls under way.",
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
