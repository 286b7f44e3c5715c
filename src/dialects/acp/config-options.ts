/** The options of a session that its editor shows: the model, and whether a person is asked before calls that need it. */
import { invalid, ok, type Outcome } from "../../../actors/fault.ts";
import type { Json, JsonObject } from "../../../actors/schema.ts";
import type { Caller } from "../../http/request/caller.ts";
import type { ProtocolServices } from "../runs/protocol.ts";

/** The fields of a chat, as the current surface shows it, that a session is made of. */
export interface AcpChat extends JsonObject {
  readonly id: string;
  readonly title: string;
  readonly agent_id: string;
  readonly agent_name: string;
  readonly workspace_id: string;
  readonly options: { readonly model: string | null; readonly auto_approve: boolean };
  readonly message_count: number;
  readonly active_job_id: string | null;
  readonly metadata: JsonObject;
  readonly updated_at: string;
}

const MODEL_OPTION = "model";
const APPROVALS_OPTION = "approvals";
/** No model is named so. */
const OWN_MODEL = "agent";

interface ShownModel extends JsonObject {
  readonly id: string;
  readonly name: string;
}

export async function configOptions(
  { invoke }: Pick<ProtocolServices, "invoke">,
  caller: Caller,
  { options: { model, auto_approve: isAuto } }: AcpChat,
): Promise<JsonObject[]> {
  // A token that may not see the models still has its sessions.
  const listed = await invoke("listModels", caller);
  const models = listed.ok ? (listed.value as { readonly models: readonly ShownModel[] }).models : [];
  const modelOption = {
    id: MODEL_OPTION,
    name: "Model",
    category: "model",
    type: "select",
    currentValue: model ?? OWN_MODEL,
    options: [
      { value: OWN_MODEL, name: "The agent's own" },
      ...models.map(({ id, name }) => ({ value: id, name, description: id })),
    ],
  };
  const approvals = {
    id: APPROVALS_OPTION,
    name: "Approvals",
    category: "mode",
    type: "select",
    currentValue: isAuto ? "auto" : "ask",
    options: [
      { value: "ask", name: "Ask", description: "Ask before calls that need an approval" },
      { value: "auto", name: "Approve all", description: "Approve every call of this session without asking" },
    ],
  };
  return [...(models.length === 0 ? [] : [modelOption]), approvals];
}

/** The change of a chat's options that sets one of them. */
export function optionChange(configId: string, value: Json): Outcome<JsonObject> {
  if (configId === MODEL_OPTION && typeof value === "string") return ok({ model: value === OWN_MODEL ? null : value });
  if (configId === APPROVALS_OPTION && (value === "ask" || value === "auto"))
    return ok({ auto_approve: value === "auto" });
  return configId === MODEL_OPTION || configId === APPROVALS_OPTION
    ? invalid("/value", `value is not one of the values of the option ${configId}`)
    : invalid("/configId", `There is no option ${configId}; there are ${MODEL_OPTION} and ${APPROVALS_OPTION}`);
}
