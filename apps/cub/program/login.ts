// The cub's password of Redis, of which its container's environment and its arguments have a half
// each (lib/model/split-secret.ts).
import { joinSecret } from "../../../lib/model/split-secret.ts";
import { forgetArgument } from "../../../lib/process/process-one.ts";

const option = "--login=";

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * The arguments without the half, and the environment with the whole password in REDIS_URL.
 * `isForgotten`: no program can read the half any more.
 */
export async function withLogin(
  given: readonly string[],
  environment: Variables,
): Promise<{ rest: string[]; environment: Variables; isForgotten: boolean }> {
  const [argument = ""] = given.filter((each) => each.startsWith(option));
  const half = environment.SETT_LOGIN ?? "";
  const rest = given.filter((each) => !each.startsWith(option));
  if (argument === "" || half === "") return { rest, environment, isForgotten: argument === "" };
  const own = argument.slice(option.length);
  const isForgotten = await forgetArgument(own);
  const url = new URL(environment.REDIS_URL ?? "");
  url.password = joinSecret({ environment: half, argument: own });
  return { rest, environment: { ...environment, REDIS_URL: url.href }, isForgotten };
}
