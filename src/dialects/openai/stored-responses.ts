/** Responses that exist: read, followed, cancelled, deleted, and their input. */
import { chatRef } from "../../../actors/chat/schema.ts";
import { notFound, ok, type Outcome } from "../../../actors/fault.ts";
import { type Job, jobRef } from "../../../actors/job/schema.ts";
import { FreeObject, type JsonObject, OneOf, Type } from "../../../actors/schema.ts";
import { ask } from "../../../actors/troupe.ts";
import { done } from "../../http/commit/commit.ts";
import type { Caller } from "../../http/request/caller.ts";
import { cancellingSteps } from "../../work/sending.ts";
import { readSoFar } from "../runs/awaited-run.ts";
import { type ProtocolServices, protocolOperation } from "../runs/protocol.ts";
import { followedPart, inputItems, responseFacts } from "./response-facts.ts";
import { partOfResponse, type ResponsePart } from "./response-id.ts";
import { ResponseState } from "./response-state.ts";
import { ResponseWriter } from "./response-table.ts";
import { DELETED_FIELD, jobOfResponse, streamResponse } from "./responses.ts";

const responseParams = { id: Type.String() };
/** Largest sequence number that a client can have. */
const MOST_SEQUENCE = Number.MAX_SAFE_INTEGER;

interface StoredResponse {
  readonly part: ResponsePart;
  readonly job: Job;
}

async function storedResponse(
  services: ProtocolServices,
  caller: Caller,
  id: string,
): Promise<Outcome<StoredResponse>> {
  const part = partOfResponse(id);
  const job = await jobOfResponse(services, caller, id);
  if (!job.ok) return job;
  return part === null ? notFound("job") : ok({ part, job: job.value });
}

/** The response as far as it has come. */
async function responseView(
  services: ProtocolServices,
  caller: Caller,
  { part, job }: StoredResponse,
): Promise<Outcome<JsonObject>> {
  const state = new ResponseState(part, responseFacts(job, part));
  if (job.status === "queued") state.status = "queued";
  const followed = followedPart(job, part);
  const writer = new ResponseWriter(state, followed);
  const read = await readSoFar(services, caller, followed, (item) => void writer.take(item));
  return read.ok ? ok(state.view()) : read;
}

/** A chat with no more messages than these has only this turn. */
const ONE_TURN = 2;

export const storedResponseOperations = {
  openAiGetResponse: protocolOperation(
    {
      method: "GET",
      path: "/openai/v1/responses/{id}",
      scope: "chats:read",
      summary: "Read a response, or follow it",
      params: responseParams,
      query: {
        stream: OneOf(["true", "false"] as const),
        starting_after: Type.Integer({ minimum: 0, maximum: MOST_SEQUENCE }),
      },
      answers: { 200: FreeObject },
    },
    async (services, caller, { params, query }) => {
      const stored = await storedResponse(services, caller, params.id);
      if (!stored.ok) return stored;
      if (query.stream !== "true") return responseView(services, caller, stored.value);
      const room = services.streams.room(caller.principal.organizationId);
      if (!room.ok) return room;
      return streamResponse(services, caller, stored.value.part, query.starting_after ?? null);
    },
  ),

  openAiCancelResponse: protocolOperation(
    {
      method: "POST",
      path: "/openai/v1/responses/{id}/cancel",
      scope: "chats:write",
      summary: "Cancel a response",
      params: responseParams,
      answers: { 200: FreeObject },
      errors: ["invalid_state"],
    },
    {
      async run(services, change, { params }) {
        const stored = await storedResponse(services, change, params.id);
        if (!stored.ok) return stored;
        const { job, part } = stored.value;
        return change.begin(cancellingSteps(job), () => ({ ...part }));
      },
      async join(services, caller, work) {
        const part = work as unknown as ResponsePart;
        const job = await services.system.dispatch(jobRef(caller.principal.organizationId, part.jobId), {
          kind: "read_job",
        });
        if (!job.ok) return job;
        const view = await responseView(services, caller, { part, job: job.value });
        // A running tool may still have to stop.
        const isStopping = job.value.status === "cancelling";
        return view.ok
          ? ok({ ...done({ ...view.value, ...(isStopping ? { status: "cancelled" } : {}) }), isFinal: false })
          : view;
      },
    },
  ),

  openAiDeleteResponse: protocolOperation(
    {
      method: "DELETE",
      path: "/openai/v1/responses/{id}",
      scope: "chats:write",
      summary: "Delete a response",
      params: responseParams,
      answers: { 200: FreeObject },
    },
    async (services, change, { params }) => {
      const stored = await storedResponse(services, change, params.id);
      if (!stored.ok) return stored;
      const { id, chatId, organizationId } = stored.value.job;
      const ref = chatRef(organizationId, chatId);
      const chat = await services.system.dispatch(ref, { kind: "read_chat" });
      if (!chat.ok) return chat;
      const deleted = chat.value.metadata[DELETED_FIELD];
      const ids = [...(Array.isArray(deleted) ? deleted : []), id];
      const step =
        chat.value.messageCount <= ONE_TURN
          ? ask(ref, { kind: "delete_chat" })
          : ask(ref, {
              kind: "update_chat",
              options: {},
              metadata: { ...chat.value.metadata, [DELETED_FIELD]: ids },
              version: null,
            });
      return change.commit([step], () => done({ id: params.id, object: "response", deleted: true }));
    },
  ),

  openAiListInputItems: protocolOperation(
    {
      method: "GET",
      path: "/openai/v1/responses/{id}/input_items",
      scope: "chats:read",
      summary: "List the input of a response",
      params: responseParams,
      answers: { 200: FreeObject },
    },
    async (services, caller, { params }) => {
      const stored = await storedResponse(services, caller, params.id);
      if (!stored.ok) return stored;
      const data = inputItems(stored.value.job, stored.value.part);
      const ids = { first_id: data[0]?.["id"] ?? null, last_id: data.at(-1)?.["id"] ?? null };
      return ok({ object: "list", data, ...ids, has_more: false });
    },
  ),
};
