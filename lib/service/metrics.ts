// Makes the metrics of a service, for Prometheus: all of them in one registry.
import { Counter, Gauge, Histogram, Registry } from "prom-client";

export function newMetrics() {
  const registry = new Registry();
  const registers = [registry];
  return {
    registry,
    counter: <Label extends string = never>(name: string, help: string, ...labelNames: Label[]) =>
      new Counter({ name, help, labelNames, registers }),
    gauge: <Label extends string = never>(name: string, help: string, ...labelNames: Label[]) =>
      new Gauge({ name, help, labelNames, registers }),
    histogram: <Label extends string = never>(
      name: string,
      help: string,
      buckets: number[],
      ...labelNames: Label[]
    ) => new Histogram({ name, help, buckets, labelNames, registers }),
  };
}
