// Finds the API of an instance, as the environment of a command line names it.
import { z } from "zod";
import { SettError } from "../../model/errors.ts";
import { Actor } from "../../model/event.ts";
import { InstanceName } from "../../model/ids.ts";
import { throughProxy } from "../../model/proxy.ts";
import { type ApiAddress, askApi, readAnswer } from "./api-client.ts";

/** A later version may have rights that this one does not know. */
const Instance = z.looseObject({
  instance: InstanceName,
  me: z.looseObject({ actor: Actor, rights: z.array(z.string()) }),
});

/**
 * Undefined where no API is named. Throws `usage` for a malformed one, or where its token is
 * missing.
 */
export function apiOf(env: Readonly<Record<string, string | undefined>>): ApiAddress | undefined {
  const { SETT_API: url = "" } = env;
  // The file that it is from may end with a line break of another system.
  const token = (env.SETT_API_TOKEN ?? "").trim();
  if (url === "") return undefined;
  const hint = "It must look like https://sett.example.org:8443.";
  const {
    protocol = "",
    pathname = "",
    search = "",
    hash = "",
    username = "",
  } = URL.parse(url) ?? {};
  if (!/^https?:$/.test(protocol)) throw new SettError("usage", "SETT_API is malformed.", { hint });
  // The paths are those of the API: with another one before them, the token would go to another
  // program of that host.
  if (pathname !== "/" || `${search}${hash}${username}` !== "")
    throw new SettError("usage", "SETT_API has more than a host and its port.", { hint });
  if (token === "") {
    throw new SettError("usage", "SETT_API is set, and SETT_API_TOKEN is not.", {
      hint: "Set it to a token of `services.api.tokens` in sett.yml.",
    });
  }
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new SettError(
      "usage",
      "SETT_API_TOKEN is no token: it has blanks, or characters outside of ASCII.",
      {
        hint: "Set it to the token alone, as `services.api.tokens` in sett.yml names it.",
      },
    );
  }
  return { url, token, way: throughProxy(url, env) };
}

/** `actor`: in whose name the token acts. `rights`: what it may do. Throws as `askApi`. */
export async function askInstance(
  api: ApiAddress,
): Promise<{ instance: InstanceName; actor: Actor; rights: ReadonlySet<string> }> {
  const answer = await askApi(api, { path: "/v1/instance" });
  const { instance, me } = await readAnswer(answer, api.url, (text) =>
    Instance.parse(JSON.parse(text)),
  );
  return { instance, actor: me.actor, rights: new Set(me.rights) };
}
