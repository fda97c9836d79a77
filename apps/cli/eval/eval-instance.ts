// An instance of an eval: what each of its runs needs.
import type { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import type { EvalFile } from "../../../lib/model/eval-file.ts";
import type { Actor } from "../../../lib/model/event.ts";
import type { InstanceName } from "../../../lib/model/ids.ts";
import type { InstanceShell } from "./instance-shell.ts";

/** `repository`: the clone. `token`: as `evalSett` takes it. */
export type EvalInstance = Pick<InstanceShell, "shell" | "lasting"> & {
  name: InstanceName;
  repository: HostRepository;
  actor: Actor;
  file: EvalFile;
  token: string;
};
