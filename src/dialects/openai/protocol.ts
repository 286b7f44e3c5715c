/** OpenAI's API: models, chat completions and responses, over the agents of the organization (DIA-1). */
import { operationGroup } from "../../http/contract/operation.ts";
import type { ForeignProtocol } from "../runs/protocol.ts";
import { completionOperations } from "./completions.ts";
import { conversationOperations, responseOperations } from "./responses.ts";
import { storedResponseOperations } from "./stored-responses.ts";
import { modelsOperations } from "./models.ts";
import { openAiDialect } from "./refusals.ts";

export const openAiProtocol: ForeignProtocol = {
  root: "/openai/v1",
  groups: [
    operationGroup(
      "OpenAI",
      "Agents for clients of OpenAI's API",
      modelsOperations,
      completionOperations,
      responseOperations,
      storedResponseOperations,
      conversationOperations,
    ),
  ],
  dialect: openAiDialect,
};
