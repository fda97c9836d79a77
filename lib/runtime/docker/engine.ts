// Checks that the Engine answers, and reads what it says of itself.
import type Docker from "dockerode";
import { SettError } from "../../model/errors.ts";
import type { EngineInfo } from "../port.ts";
import { explain, isAbort } from "./errors.ts";

/** dockerode's types leave out that `info` takes a signal, as its other requests do. */
type InfoRequest = (options: { abortSignal: AbortSignal }) => Promise<Info>;

/** `Architecture` is the kernel's name of it. */
type Info = {
  ServerVersion: string;
  Architecture: string;
  NCPU: number;
  MemTotal: number;
  CpuCfsQuota?: boolean;
  SecurityOptions?: string[] | null;
};

/** As in the names of images. */
const architectures: Readonly<Record<string, string>> = { x86_64: "amd64", aarch64: "arm64" };

export async function checkEngine(docker: Docker, answerWithinMs: number): Promise<EngineInfo> {
  const ask: InfoRequest = docker.info.bind(docker);
  try {
    const { ServerVersion, Architecture, NCPU, MemTotal, CpuCfsQuota, SecurityOptions } = await ask({
      abortSignal: AbortSignal.timeout(answerWithinMs),
    });
    const has = (pattern: RegExp) => (SecurityOptions ?? []).some((option) => pattern.test(option));
    return {
      version: ServerVersion,
      architecture: architectures[Architecture] ?? Architecture,
      cpus: NCPU,
      memoryBytes: MemTotal,
      canLimitSystemCalls: has(/^(?:name=)?seccomp\b/),
      canLimitProcessors: CpuCfsQuota !== false,
      isRootless: has(/^(?:name=)?rootless\b/),
    };
  } catch (error) {
    if (isAbort(error)) {
      throw new SettError("docker-unreachable", `The Docker Engine did not answer within ${answerWithinMs / 1000} s.`, {
        hint: "It may be starting or stuck. Try `docker info`.",
        cause: error,
      });
    }
    throw explain(error, "tell its version");
  }
}
