// The `resources` of a container in sett.yml.
import { z } from "zod";
import { Cpus, Memory } from "./config-quantities.ts";

const Amounts = z
  .strictObject({
    cpus: Cpus.optional().describe("A number of processors, such as `'0.50'`."),
    memory: Memory.optional().describe("A size such as `512M` or `2G`."),
  })
  .transform(({ cpus, memory }) => ({ cpus, memory_bytes: memory }));

/** True unless both are known and the reservation is the larger one. */
function fits(reserved: number | undefined, limit: number | undefined): boolean {
  return reserved === undefined || limit === undefined || reserved <= limit;
}

export const Resources = z
  .strictObject({
    limits: Amounts.optional().describe("The maximum that it gets. Default: no limit."),
    reservations: Amounts.optional().describe("What is reserved for it."),
  })
  .refine(({ limits, reservations }) => fits(reservations?.cpus, limits?.cpus), {
    path: ["reservations", "cpus"],
    error: "must not be more than `limits.cpus`",
  })
  .refine(({ limits, reservations }) => fits(reservations?.memory_bytes, limits?.memory_bytes), {
    path: ["reservations", "memory"],
    error: "must not be more than `limits.memory`",
  });
