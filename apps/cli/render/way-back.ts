// The way back to an instance that is elsewhere, by what the repository has noted of that place.
import { folderOfProcesses } from "../../../lib/runtime/names.ts";

export const wayBackToCluster =
  "name that one, as for its `sett up` (KUBECONFIG, `kubectl config use-context`)";

/** A clause that begins in lower case. `noted`: undefined where nothing was. */
export function wayBack(noted?: string): string {
  const folder = noted === undefined ? undefined : folderOfProcesses(noted);
  return folder === undefined
    ? "name that Engine, as for its `sett up` (DOCKER_HOST, `docker context use`)"
    : `set XDG_STATE_HOME=${folder.replace(/\/[^/]*$/, "")}, where its processes are`;
}
