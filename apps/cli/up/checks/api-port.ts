// Finds out before images are built whether the API can listen where sett.yml says.
import { createServer } from "node:net";
import type { SettConfig } from "../../../../lib/model/config.ts";
import type { InstanceParts } from "../../../../lib/runtime/port.ts";
import type { Finding } from "./beyond-engine.ts";

/**
 * `before`: the instance as it is, whose API may have the port. An Engine on another machine has
 * ports of its own.
 */
export async function unusableApiPort(
  { services: { api } }: Pick<SettConfig, "services">,
  before: InstanceParts | undefined,
  { DOCKER_HOST: engine = "" }: Readonly<Record<string, string | undefined>>,
): Promise<Finding[]> {
  if (api === undefined || (engine !== "" && !engine.startsWith("unix:"))) return [];
  const { host, port } = api;
  const isOwn = before?.containers.some(
    ({ labels, ports }) =>
      labels.component === "api" && ports.some(({ hostPort }) => hostPort === port),
  );
  const reason = await whyNot(host, port);
  switch (reason) {
    case undefined:
    // The Engine may have the right to a port below 1024 that this user lacks.
    case "EACCES":
      return [];
    case "EADDRINUSE":
      if (isOwn === true) return [];
      return [
        {
          path: ["services", "api", "port"],
          sentence: `${port} of ${host} is in use: \`ss -ltnp\` shows by what; choose another`,
        },
      ];
    case "EADDRNOTAVAIL":
      return [
        { path: ["services", "api", "host"], sentence: `${host} is no address of this machine` },
      ];
    default:
      return [
        {
          path: ["services", "api", "host"],
          sentence: `no program can listen at ${host}: this machine says ${reason}`,
        },
      ];
  }
}

/** The code of the error; undefined where a program can listen there. */
async function whyNot(host: string, port: number): Promise<string | undefined> {
  const server = createServer();
  return await new Promise((resolve) => {
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code));
    server.listen({ host, port }, () => server.close(() => resolve(undefined)));
  });
}
