// A service's port that cannot be had, told as a sentence.
import { SettError } from "../model/errors.ts";

/** Runs `listen`. Throws `port-unusable` when another program has the port, or this one may not have it. */
export function listening<Server>(port: number, listen: () => Server): Server {
  try {
    return listen();
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
    if (code !== "EADDRINUSE" && code !== "EACCES") throw cause;
    const what = code === "EADDRINUSE" ? "is taken by another program" : "may not be used by this user";
    throw new SettError("port-unusable", `The health port ${port} ${what}.`, {
      hint: "Set SETT_HEALTH_PORT to a free port, or to 0 for any.",
      cause,
    });
  }
}
