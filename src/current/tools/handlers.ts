/** The tools of the service (RUN-11). */
import { ok } from "../../../actors/fault.ts";
import type { Handlers } from "../../http/contract/operation.ts";
import type { Services } from "../../operations/services.ts";
import type { toolOperations } from "./operations.ts";

export const toolHandlers: Handlers<typeof toolOperations.operations, Services> = {
  listTools: ({ tools }) =>
    ok({
      tools: tools.map(({ name, description, inputSchema, availability, isReadOnly }) => ({
        name,
        description,
        input_schema: inputSchema,
        availability,
        read_only: isReadOnly,
      })),
    }),
};
