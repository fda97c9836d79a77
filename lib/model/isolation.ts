// The barrier between an agent's commands and the kernel of the machine: a runtime of the Engine.
import { z } from "zod";

export const Isolation = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$/, {
  error: "must be `gvisor`, `kata`, or the name of a runtime of the Docker Engine",
});

/** The names that Engines know a kind by, as its own guide installs it. */
const usualNames: Readonly<Record<string, readonly string[]>> = {
  gvisor: ["runsc", "gvisor"],
  kata: ["kata", "kata-runtime", "kata-qemu", "kata-clh", "kata-fc"],
};

/** The Engine finds such a runtime by itself, in the path of its machine. */
const unlisted = /^io\.containerd\./;

/** Undefined where the Engine, which has the runtimes `known`, has none of that name. */
export function runtimeOf(isolation: string, known: readonly string[]): string | undefined {
  const names = usualNames[isolation] ?? [isolation];
  return names.find((name) => known.includes(name) || unlisted.test(name));
}

/** For people: the kind that usually has this name, beside it. */
export function kernelText(runtime: string): string {
  const [kind] = Object.entries(usualNames).find(([, names]) => names.includes(runtime)) ?? [];
  if (kind === "gvisor") return `gVisor's own (${runtime})`;
  if (kind === "kata") return `one of its own, in a virtual machine (${runtime})`;
  return `that of the machine, unless its runtime ${runtime} has another`;
}
