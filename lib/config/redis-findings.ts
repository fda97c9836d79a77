// Findings about a `services.redis` that names a Redis which is there already. Pure.
import type { SettConfig } from "../model/config.ts";
import type { ConfigPath } from "./problems.ts";

type Finding = { path: ConfigPath; sentence: string };

const at = (key: string): ConfigPath => ["services", "redis", key];

/** `redis`: as the file has it; the schema reports what is of another kind. */
export function redisMistakes(redis: unknown): Finding[] {
  const { url, ...keys }: Record<string, unknown> = Object(redis);
  const has = (key: string) => keys[key] !== undefined;
  if (url === undefined) {
    return ["ca", "secret", "users"].filter(has).map((key) => ({
      path: at(key),
      sentence: "needs `url`: without it the instance has a Redis of its own",
    }));
  }
  const found = ["image", "resources"].filter(has).map((key) => ({
    path: at(key),
    sentence: "is about a Redis of the instance's own: remove it, or remove `url`",
  }));
  const parsed = URL.parse(String(url));
  if (has("ca") && parsed?.protocol === "redis:")
    found.push({ path: at("ca"), sentence: "needs `rediss://`: `redis://` does not encrypt" });
  if (has("secret") && parsed !== null && parsed.password !== "")
    found.push({ path: at("secret"), sentence: "is a second password: remove the one in `url`" });
  if (has("users") && keys.users === keys.secret)
    found.push({ path: at("users"), sentence: "is the secret of `secret`: name another one" });
  return found;
}

/** Names of this machine, and of the one that a container is on. */
const here = /^(?:localhost|host\.docker\.internal|127(?:\.\d+){3}|\[::1\])$/;

export function redisWarnings({ services }: Pick<SettConfig, "services">): Finding[] {
  const { url } = services.redis;
  const parsed = url === undefined ? null : URL.parse(url);
  if (parsed === null) return [];
  const found: Finding[] = [];
  if (parsed.password !== "") {
    found.push({
      path: at("url"),
      sentence:
        "has a password, which everyone reads who has this file, agents too: name it in `secrets`, and here as `secret`",
    });
  }
  if (parsed.protocol === "redis:" && !here.test(parsed.hostname)) {
    found.push({
      path: at("url"),
      sentence:
        "does not encrypt: others on the way read the blackboard and passwords. Use `rediss://`, unless that network is yours alone",
    });
  }
  return found;
}
