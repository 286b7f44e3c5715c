/** The protocols of other people's clients: the mount reads this list. */
import { aiSdkProtocol } from "./ai-sdk/protocol.ts";
import { openAiProtocol } from "./openai/protocol.ts";
import type { ForeignProtocol } from "./runs/protocol.ts";

export const PROTOCOLS: readonly ForeignProtocol[] = [aiSdkProtocol, openAiProtocol];
