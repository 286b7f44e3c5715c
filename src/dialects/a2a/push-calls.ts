/** The methods of A2A for push notifications, for both transports. */
import { notFound, ok, type Outcome } from "../../../actors/fault.ts";
import type { Json } from "../../../actors/schema.ts";
import { webhookRef } from "../../../actors/webhook/events.ts";
import type { ProtocolServices } from "../runs/protocol.ts";
import { type A2aPush, a2aPushView, type GivenPush, pushIdOf } from "./push.ts";
import { type A2aRequest, readTaskJob } from "./task-request.ts";

export class A2aPushCalls {
  private readonly services: ProtocolServices;

  constructor(services: ProtocolServices) {
    this.services = services;
  }

  async create(request: A2aRequest, taskId: string, given: GivenPush): Promise<Outcome<A2aPush>> {
    const job = await readTaskJob(this.services, request, taskId);
    if (!job.ok) return job;
    const of = { params: { id: taskId }, body: given as unknown as Json };
    return (await this.services.invoke("setA2aPush", request.caller, of)) as Outcome<A2aPush>;
  }

  /** Adds the address that came with a message, unless the task has it: the message may be a retry. */
  async ensure(request: A2aRequest, taskId: string, given: GivenPush): Promise<Outcome<null>> {
    const id = pushIdOf(given);
    const listed = await this.list(request, taskId);
    if (!listed.ok) return listed;
    if (listed.value.configs.some((push) => push.id === id)) return ok(null);
    const created = await this.create(request, taskId, given);
    return created.ok ? ok(null) : created;
  }

  async list(request: A2aRequest, taskId: string): Promise<Outcome<{ readonly configs: readonly A2aPush[] }>> {
    const job = await readTaskJob(this.services, request, taskId);
    if (!job.ok) return job;
    const ref = webhookRef(request.caller.principal.organizationId);
    const pushes = await this.services.system.dispatch(ref, { kind: "read_pushes", jobId: taskId });
    return pushes.ok ? ok({ configs: pushes.value.map((push) => a2aPushView(taskId, push)) }) : pushes;
  }

  async get(request: A2aRequest, taskId: string, pushId: string): Promise<Outcome<A2aPush>> {
    const listed = await this.list(request, taskId);
    if (!listed.ok) return listed;
    const push = listed.value.configs.find(({ id }) => id === pushId);
    return push === undefined ? notFound("push_notification") : ok(push);
  }

  /** An address that is not there is removed already. */
  async remove(request: A2aRequest, taskId: string, pushId: string): Promise<Outcome<object>> {
    const job = await readTaskJob(this.services, request, taskId);
    if (!job.ok) return job;
    const of = { params: { id: taskId }, body: { push_id: pushId } };
    const removed = await this.services.invoke("removeA2aPush", request.caller, of);
    const isGone = !removed.ok && removed.fault.kind === "not_found" && removed.fault.noun === "push_notification";
    return isGone || removed.ok ? ok({}) : removed;
  }
}
