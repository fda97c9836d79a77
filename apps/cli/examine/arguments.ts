// Which grant a look is for, and what its container gets beside the record.
import { asArgument, fileArgument, nameArgument } from "../program/arguments.ts";

export const grantArguments = {
  grant: {
    type: "positional",
    required: true,
    description: "what the grant has led to, or its claim; 6 or more characters are enough",
  },
  agent: {
    type: "string",
    valueHint: "AGENT",
    description: "of a claim with several grants: whose",
  },
  image: {
    type: "string",
    valueHint: "IMAGE",
    description: "another image than that of the grant",
  },
  secrets: { type: "boolean", description: "with the secrets of the agent" },
  as: asArgument,
  file: fileArgument,
  name: nameArgument,
} as const;
