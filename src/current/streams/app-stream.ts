/**
 * The stream of a job for embedded pages (SSE-9). A signed address replaces the token; any origin may open it,
 * without credentials. Every invalid address gets the same answer.
 */
import { refuse } from "../../../actors/fault.ts";
import type { Handlers } from "../../http/contract/operation.ts";
import type { Services } from "../../operations/services.ts";
import { streamRequest } from "./cursor.ts";
import type { appStreamOperations } from "./operations.ts";
import { APP_STREAM_HEADERS } from "./operations.ts";
import { streamOfJob } from "./handlers.ts";

/** The longest life of a stream. */
const APP_STREAM_MS = 60 * 60_000;

export const appStreamHandlers: Handlers<typeof appStreamOperations.operations, Services> = {
  async streamSignedJobEvents(services, caller, input) {
    const by = caller.principal;
    const connection = { caller, bearer: by, lifeMs: APP_STREAM_MS, headers: APP_STREAM_HEADERS };
    const opened = await streamOfJob(services, connection, streamRequest(input), { jobId: input.params.id, by });
    return !opened.ok && opened.fault.kind === "not_found" ? refuse({ kind: "invalid_signature" }) : opened;
  },
};
