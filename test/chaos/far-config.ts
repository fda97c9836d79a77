// The sett.yml of an instance that is elsewhere.
import { clan, retries } from "./clan.ts";
import { toolImage } from "./far-machine.ts";

/** The agent that looks at a host by the egress proxy before it answers. */
const looker = "licences";

/** `site`: a host and its port, as agents reach it. `redis`: the same of one that is elsewhere. */
export function farConfig(at: { site: string; redis: string | undefined }) {
  const redis = {
    services: { redis: { url: `rediss://${at.redis}`, ca: "./ca.pem", secret: "redis" } },
    secrets: { redis: { environment: "CHAOS_REDIS" } },
  };
  const { services, ...secrets } = at.redis === undefined ? { services: {} } : redis;
  const agent = ({ name, role, bids }: (typeof clan)[number]) => {
    const site = name === looker ? [`http://${at.site}/`] : [];
    return {
      ...{ image: toolImage, command: ["/app/tool", role, ...site], role, bids, retries },
      workspace: { mode: role === "changelog" ? "rw" : "ro" },
      ...(name === looker && { egress: [at.site] }),
    };
  };
  return {
    ...{ version: "1.0", clarification: "tiered", services },
    ...secrets,
    agents: Object.fromEntries(clan.map((each) => [each.name, agent(each)])),
  };
}
