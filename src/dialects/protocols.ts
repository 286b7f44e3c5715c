/** The protocols of other people's clients: the mount reads this list. */
import { A2A_PROTOCOLS } from "./a2a/protocol.ts";
import { acpProtocol } from "./acp/protocol.ts";
import { agUiProtocol } from "./ag-ui/protocol.ts";
import { aiSdkProtocol } from "./ai-sdk/protocol.ts";
import { openAiProtocol } from "./openai/protocol.ts";
import type { ForeignProtocol } from "./runs/protocol.ts";

export const PROTOCOLS: readonly ForeignProtocol[] = [
  ...A2A_PROTOCOLS,
  acpProtocol,
  agUiProtocol,
  aiSdkProtocol,
  openAiProtocol,
];
