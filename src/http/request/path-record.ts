/**
 * The record that a path names, for the order of checks: what is wrong with the input of a request is only told to
 * those for whom the record is there. It is looked for when input has been refused, so good requests pay nothing.
 *
 * The record is found by the read whose path is the longest beginning of the operation's own: that of
 * `PATCH /api/missions/{id}/tasks/{taskId}` is `GET` of the same path, that of `POST /api/jobs/{id}/cancel` is
 * `GET /api/jobs/{id}`.
 */
import type { Fault, FaultKind } from "../../../actors/fault.ts";
import type { Visitor } from "./caller.ts";
import type { RawInput } from "./input-reader.ts";
import type { BoundOperation } from "./operations.ts";

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

/** Whether the fault says that the input is wrong, whatever it is for. */
export const isAboutInput = ({ kind }: Fault): boolean => ABOUT_INPUT.has(kind);

const RECORD = /\{\w+\}$/;

export class PathRecords {
  private readonly reads = new Map<string, BoundOperation>();

  add(operation: BoundOperation): void {
    const { method, path, scope } = operation.contract;
    if (method === "GET" && scope !== null && RECORD.test(path)) this.reads.set(path, operation);
  }

  /** Why the record of the operation's path is not there for this caller; null where it is, or there is none. */
  async refusalOf({ contract }: BoundOperation, caller: Visitor, raw: RawInput): Promise<Fault | null> {
    const read = contract.scope === null ? undefined : this.readFor(contract.path);
    if (read === undefined) return null;
    const { input } = read.reader.readHead({ ...NOTHING, params: raw.params });
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

/** A request that says nothing besides its path. */
const NOTHING = {
  search: "",
  header: () => null,
  source: { headers: new Headers(), body: null, bytes: () => Promise.resolve(new Uint8Array()) },
  bodies: null,
} satisfies Omit<RawInput, "params">;
