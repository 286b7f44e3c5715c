/** What client and agent say of themselves in `initialize`. */
import { cutText } from "../../../../actors/cut-text.ts";
import { isJsonObject, type Json, type JsonObject } from "../../../../actors/schema.ts";
import { type Editor, EDITOR_NAME } from "../editor-tools.ts";

export const ACP_VERSION = 1;

/** Null: the message is not right. */
export function editorOf({ protocolVersion, clientCapabilities, clientInfo }: JsonObject): Editor | null {
  if (!Number.isInteger(protocolVersion)) return null;
  const { fs, terminal, session } = capabilityFields(clientCapabilities);
  const { readTextFile, writeTextFile } = capabilityFields(fs);
  const { title, name } = capabilityFields(clientInfo);
  return {
    name: cutText(String(title ?? name ?? "an editor"), EDITOR_NAME),
    hasNotices: isJsonObject(capabilityFields(session)["notices"]),
    readsFiles: readTextFile === true,
    writesFiles: writeTextFile === true,
    hasTerminals: terminal === true,
  };
}

const capabilityFields = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {});

/** The answer: version 1, which is the only one. A client that speaks another one disconnects. */
export const agentCapabilities = (version: string): JsonObject => ({
  protocolVersion: ACP_VERSION,
  agentInfo: { name: "troupe", title: "Troupe", version },
  agentCapabilities: {
    loadSession: true,
    promptCapabilities: { image: true, audio: false, embeddedContext: true },
    mcpCapabilities: { http: false, sse: false },
    sessionCapabilities: { list: {}, delete: {}, resume: {}, close: {} },
  },
  authMethods: [],
});
