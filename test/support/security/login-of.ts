// The way of a part to Redis with its password, as a user of the Engine can put it together.
import { joinSecret } from "../../../lib/model/split-secret.ts";

export type ContainerConfig = { Env: string[]; Entrypoint: string[] | null };

/** The URL, or an empty text for a part without one. */
export function redisUrlIn({ Env, Entrypoint }: ContainerConfig): string {
  const valueAfter = (words: readonly string[], start: string) =>
    words.find((word) => word.startsWith(start))?.slice(start.length) ?? "";
  const url = valueAfter(Env, "REDIS_URL=");
  const environment = valueAfter(Env, "SETT_LOGIN=");
  if (environment === "") return url;
  const argument = valueAfter(Entrypoint ?? [], "--login=");
  return url.replace("@", `:${joinSecret({ environment, argument })}@`);
}
