import { describe, expect, test } from "bun:test";
import { Isolation, kernelText, runtimeOf } from "../../../../lib/model/isolation.ts";

describe("the isolation of an agent", () => {
  test("is a runtime that the Engine knows by its usual names, or by the one that is given", () => {
    expect(runtimeOf("gvisor", ["runc", "runsc"])).toBe("runsc");
    expect(runtimeOf("kata", ["kata-qemu"])).toBe("kata-qemu");
    expect(runtimeOf("runsc-kvm", ["runsc-kvm"])).toBe("runsc-kvm");
    expect(runtimeOf("gvisor", ["runc"])).toBeUndefined();
    expect(runtimeOf("io.containerd.kata.v2", [])).toBe("io.containerd.kata.v2");
  });

  test("is one name", () => {
    expect(Isolation.safeParse("--privileged").success).toBe(false);
    expect(Isolation.safeParse("a b").success).toBe(false);
  });

  test("says whose kernel a command has", () => {
    expect(kernelText("runsc")).toBe("gVisor's own (runsc)");
    expect(kernelText("kata")).toContain("in a virtual machine (kata)");
    expect(kernelText("youki")).toBe("that of the machine, unless its runtime youki has another");
  });
});
