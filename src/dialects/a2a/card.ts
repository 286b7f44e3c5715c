/** The card of an agent: what it is, and where and how clients of A2A talk to it. */
import type { Agent } from "../../../actors/organization/schema.ts";
import type { ModelInput } from "../../../actors/upload/terms.ts";

/** The version of A2A that is served: requests name it in the header `A2A-Version`. */
export const A2A_VERSION = "1.0";
/** The path of an agent's card and of its methods over HTTP+JSON, and that of JSON-RPC. */
export const AGENT_BASE = "/a2a/agents/{id}";
export const RPC_BASE = "/a2a/rpc/agents/{id}";

const CARD_PROVIDER = "Troupe";
const A2A_SCHEME = "bearer";
/** Media types that the agent's model reads, beside text. */
const A2A_INPUT_MODES: Readonly<Record<ModelInput, readonly string[]>> = {
  text: ["text/plain", "application/json"],
  image: ["image/png", "image/jpeg", "image/gif", "image/webp"],
  file: ["application/pdf"],
};

export function agentCard(agent: Agent, reads: readonly ModelInput[], appUrl: string): object {
  const at = (base: string, protocolBinding: string) => ({
    url: appUrl + base.replace("{id}", agent.id),
    protocolBinding,
    protocolVersion: A2A_VERSION,
  });
  const description = agent.description ?? agent.role;
  return {
    name: agent.name,
    description,
    version: String(agent.version),
    provider: { organization: CARD_PROVIDER, url: appUrl },
    documentationUrl: `${appUrl}/guides/a2a-clients.md`,
    supportedInterfaces: [at(RPC_BASE, "JSONRPC"), at(AGENT_BASE, "HTTP+JSON")],
    capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: false },
    securitySchemes: {
      [A2A_SCHEME]: {
        httpAuthSecurityScheme: { scheme: "Bearer", description: "A token with `chats:write` and `jobs:write`" },
      },
    },
    securityRequirements: [{ schemes: { [A2A_SCHEME]: { list: [] } } }],
    defaultInputModes: reads.flatMap((input) => A2A_INPUT_MODES[input]),
    defaultOutputModes:
      agent.outputSchema === null || agent.outputSchema === undefined
        ? ["text/plain"]
        : ["application/json", "text/plain"],
    skills: [{ id: agent.id, name: agent.role, description, tags: agent.tags }],
  };
}
