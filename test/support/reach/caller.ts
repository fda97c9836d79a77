// Calls the service at `TO`, as a program of its own, with the surroundings that it is started in.
import { readAddress } from "../../../lib/model/proven-address.ts";
import { call } from "./scene.ts";

console.log(JSON.stringify(await call(readAddress(process.env.TO ?? ""))));
