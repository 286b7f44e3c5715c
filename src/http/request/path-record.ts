/**
 * The record that a path names, for the order of checks: only callers who may see the record learn what is wrong
 * with their input. It is looked up after input was refused, so valid requests pay nothing.
 *
 * The operation that reads the record has the longest path that is a prefix of this operation's path: for `PATCH
 * /api/missions/{id}/tasks/{taskId}` it is `GET` of the same path, for `POST /api/jobs/{id}/cancel` it is `GET
 * /api/jobs/{id}`.
 */
import type { Fault, FaultKind } from "../../../actors/fault.ts";
import type { Visitor } from "./caller.ts";
import type { RawInput } from "../input/input-reader.ts";
import type { BoundOperation } from "./bound-operation.ts";

const ABOUT_INPUT: ReadonlySet<FaultKind> = new Set([
  "invalid_json",
  "invalid_request",
  "invalid_cursor",
  "invalid_schedule",
  "invalid_event_type",
  "invalid_url",
  "invalid_path",
  "payload_too_large",
  "unsupported_media_type",
]);

/** Whether the fault is about the input, whatever the record. */
export const isAboutInput = (fault: Fault): boolean =>
  ABOUT_INPUT.has(fault.kind) || (fault.kind === "not_found" && fault.fields !== undefined);

/** Whether the operation creates the record that its path names. */
const isMaking = ({ method, answers }: BoundOperation["contract"]): boolean => method === "PUT" && 201 in answers;

const RECORD_PATH = /\{\w+\}$/;

export class PathRecords {
  private readonly reads = new Map<string, BoundOperation>();

  add(operation: BoundOperation): void {
    const { method, path, scope } = operation.contract;
    if (method === "GET" && scope !== null && RECORD_PATH.test(path)) this.reads.set(path, operation);
  }

  /** Why this caller cannot see the record of the operation's path; null if they can, or there is none. */
  async refusalOf({ contract }: BoundOperation, caller: Visitor, raw: RawInput): Promise<Fault | null> {
    const read = contract.scope === null || isMaking(contract) ? undefined : this.readFor(contract.path);
    if (read === undefined) return null;
    const { input } = read.reader.readHead({ ...PATH_ONLY, params: raw.params });
    if (!input.ok) return input.fault.kind === "not_found" ? input.fault : null;
    const outcome = await read.read(caller, input.value);
    return outcome.ok ? null : outcome.fault;
  }

  private readFor(path: string): BoundOperation | undefined {
    for (let end = path.length; end > 0; end = path.lastIndexOf("/", end - 1)) {
      const read = this.reads.get(path.slice(0, end));
      if (read !== undefined) return read;
    }
    return undefined;
  }
}

/** A request with nothing but its path. */
const PATH_ONLY = {
  search: "",
  header: () => null,
  source: { headers: new Headers(), body: null, bytes: () => Promise.resolve(new Uint8Array()) },
  bodies: null,
} satisfies Omit<RawInput, "params">;
