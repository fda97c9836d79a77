// The sources of an instance's commits: its repository, and its exchange with agents.
import type { InstanceName } from "../../model/ids.ts";
import type { HostExchange } from "../exchange/port.ts";
import type { RepositoryPlace } from "../run/find-repository.ts";
import type { Git } from "../run/run-git.ts";

/** `git`: with limits, because agents have made what it reads. */
export interface Source {
  readonly git: Git;
  readonly place: RepositoryPlace;
  readonly instance: InstanceName;
  readonly exchange: HostExchange;
}
