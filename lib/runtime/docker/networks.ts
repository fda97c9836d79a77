// Networks: one for each instance.
import type Docker from "dockerode";
import { SettError } from "../../model/errors.ts";
import { type PartLabels, writeLabels } from "../labels.ts";
import { askIfThere, explain, statusOf } from "./errors.ts";

export async function createNetwork(docker: Docker, name: string, labels: PartLabels): Promise<void> {
  try {
    // The engine would otherwise make a second network of the same name.
    await docker.createNetwork({ Name: name, CheckDuplicate: true, Driver: "bridge", Labels: writeLabels(labels) });
  } catch (error) {
    if (statusOf(error) !== 409) throw explain(error, `create the network ${name}`);
    throw new SettError("instance-taken", `There is a network named ${name} already.`, {
      hint: "`sett list` shows what is running; `sett down` removes what a Sett left behind.",
      cause: error,
    });
  }
}

export async function removeNetwork(docker: Docker, name: string): Promise<void> {
  await askIfThere(`remove the network ${name}`, () => docker.getNetwork(name).remove());
}
