// The Kubernetes cluster of the tests that need a real one. It enforces policies, and its
// nodes pull from a registry to which this machine may push.
import process from "node:process";

/** Its kubeconfig; empty where there is no such cluster. */
export const kubeconfig = process.env.SETT_TEST_KUBERNETES ?? "";
/** Nodes pull from it, and this machine may push to it. */
export const registry = process.env.SETT_TEST_REGISTRY ?? "localhost:5000/sett-test";
/** Pods reach this machine by it. */
export const ownAddress = process.env.SETT_TEST_ADDRESS ?? "10.245.0.1";
