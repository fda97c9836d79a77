// Whom the gateway asks: the providers, the providers with a record of each exchange, or recorded
// exchanges alone.
import { Recordings } from "../../../lib/models/cassette/recordings.ts";
import type { JsonLog } from "../../../lib/service/json-log.ts";
import type { KeyFolder } from "../keys.ts";
import type { CassetteFolder } from "../settings.ts";
import type { Upstream } from "../upstream.ts";
import { CassetteWriter } from "./cassette-writer.ts";
import { readCassettes } from "./read-cassettes.ts";
import { createRecordUpstream } from "./record-upstream.ts";
import { createReplayUpstream } from "./replay-upstream.ts";

/** Throws `environment-invalid` where the folder cannot be used. */
export async function withCassettes(
  providers: Upstream,
  cassette: CassetteFolder | undefined,
  { keys, log }: { keys: KeyFolder; log: JsonLog },
): Promise<Upstream> {
  if (cassette === undefined) return providers;
  const { folder, mode } = cassette;
  if (mode === "replay") {
    const exchanges = await readCassettes(folder);
    log.info("Answering calls from recorded exchanges; no provider is asked", {
      exchanges: exchanges.length,
    });
    return createReplayUpstream(new Recordings(exchanges));
  }
  const readKeys = async () => {
    const all = await Promise.all([...(await keys.names())].map((name) => keys.read(name)));
    return all.flatMap((key) => key ?? []);
  };
  const writer = new CassetteWriter({ folder, readKeys, log });
  await writer.check();
  log.info("Recording each exchange with a model");
  return createRecordUpstream(providers, writer);
}
