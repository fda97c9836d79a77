// Says what a container of a cluster asks for, and may have at most. Pure.
import type { Resources } from "../container-spec.ts";

const mebibyte = 1024 ** 2;

/** A service may have so much, where sett.yml says nothing of it. */
const usual = { nanoCpus: 2e9, memoryBytes: 1024 * mebibyte, diskBytes: 1024 * mebibyte };
/** Every part asks for so much, where sett.yml says nothing of it: quotas want a number. */
const request = { milliCpus: 20, memoryBytes: 96 * mebibyte, diskBytes: 64 * mebibyte };

/** On one machine a reservation is a weight against others, of which a service may have many. */
const maxReserved = 1e9;

export function resourcesOf(resources: Resources) {
  const { nanoCpus = usual.nanoCpus, memoryBytes = usual.memoryBytes } = resources;
  const { reservedNanoCpus: wish = 0, reservedMemoryBytes, fileBytes } = resources;
  const milli = wish > maxReserved ? request.milliCpus : Math.max(request.milliCpus, wish / 1e6);
  const memory = Math.min(memoryBytes, reservedMemoryBytes ?? request.memoryBytes);
  return {
    requests: {
      cpu: `${Math.ceil(Math.min(milli, nanoCpus / 1e6))}m`,
      memory: String(memory),
      "ephemeral-storage": String(request.diskBytes),
    },
    limits: {
      cpu: `${Math.ceil(nanoCpus / 1e6)}m`,
      memory: String(memoryBytes),
      "ephemeral-storage": String(2 * (fileBytes ?? usual.diskBytes)),
    },
  };
}
