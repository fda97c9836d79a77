import { describe, expect, test } from "bun:test";
import { marginOf, reclaimableIn } from "../../../../../apps/cub/container/memory-watch.ts";

const mebibyte = 1024 ** 2;

describe("the watch of a container's memory", () => {
  test("leaves a command all but a little", () => {
    expect([32, 256, 8192].map((size) => marginOf(size * mebibyte) / mebibyte)).toEqual([2, 4, 16]);
  });

  test("does not count files that the kernel remembers", () => {
    const parts = "anon 70\nfile 30\ninactive_file 10\nactive_file 15\nslab_reclaimable 4\n";
    const known = /^(?:in)?active_file (\d+)$|^slab_reclaimable (\d+)$/gm;
    expect(reclaimableIn(parts, known)).toBe(29);
  });
});
