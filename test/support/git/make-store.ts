// A program that makes an instance's store in a repository, for tests that end it in the middle:
// the repository and the git are its arguments.
import { HostRepository } from "../../../lib/git/repository/host-repository.ts";
import { agentName, hostEnv, instance } from "./sample-repository.ts";

const [path = "", gitPath = "git"] = process.argv.slice(2);
const repository = await HostRepository.open(path, { env: hostEnv, gitPath });
await repository.exchange(instance).make({ writers: [agentName] });
