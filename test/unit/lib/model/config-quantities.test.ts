import { expect, test } from "bun:test";
import { Cpus, Duration, Memory } from "../../../../lib/model/config-quantities.ts";

test("durations are numbers with units, alone or in a row", () => {
  const read = ["500ms", "30s", "5m", "1h", "1h30m", "1.5s", "7d"].map((text) =>
    Duration.parse(text),
  );
  expect(read).toEqual([500, 30_000, 300_000, 3_600_000, 5_400_000, 1500, 604_800_000]);
});

test("what is no duration, or none to wait for, is refused", () => {
  for (const text of [
    "",
    "5",
    "m",
    "5 m",
    "-5m",
    "5M",
    "0s",
    "0.1ms",
    "8d",
    "1e3s",
    "5m!",
    "٣s",
    "5s5s",
    "1h30m1h",
    "1,000s",
    "30s or 1m",
  ])
    expect(Duration.safeParse(text).success).toBe(false);
});

test("memory is given in powers of 1024, in either spelling, or in bytes", () => {
  const read = [
    "512M",
    "512m",
    "512MB",
    "512MiB",
    "512 M",
    "1.5G",
    "6291456",
    6_291_456,
    "1T",
    "65536k",
  ].map((size) => Memory.parse(size));
  const mib = 1024 ** 2;
  expect(read).toEqual([
    512 * mib,
    512 * mib,
    512 * mib,
    512 * mib,
    512 * mib,
    1536 * mib,
    6 * mib,
    6 * mib,
    mib * mib,
    64 * mib,
  ]);
});

test("what is no size, or none that Docker takes, is refused", () => {
  for (const size of ["", "M", "-1G", "1X", "5M", 0, -1, 1.5, "65T", "1e9", "0x10", true])
    expect(Memory.safeParse(size).success).toBe(false);
});

test("processors are a number, as text or not", () => {
  expect(["0.50", "2", 0.01, 1024, ".5"].map((share) => Cpus.parse(share))).toEqual([
    0.5, 2, 0.01, 1024, 0.5,
  ]);
  for (const share of ["", "half", 0, -1, "0.001", 2000, "1e2", Number.NaN, "."])
    expect(Cpus.safeParse(share).success).toBe(false);
});
