// The APIs of language models: one file each in lib/models/apis. CONTRIBUTING.md#a-model-api
import type { CostlyApi } from "../model/model-call.ts";
import { chatCompletions } from "./apis/chat-completions.ts";
import { messages } from "./apis/messages.ts";
import { responses } from "./apis/responses.ts";
import type { ApiTraits } from "./traits.ts";

export const apis: Readonly<Record<CostlyApi, ApiTraits>> = {
  messages,
  chat: chatCompletions,
  responses,
};
