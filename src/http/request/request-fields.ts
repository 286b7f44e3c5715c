/** The log fields of a request. */
import { PlainFields } from "../../log/port.ts";

export class RequestFields extends PlainFields {
  readonly requestId: string;
  readonly organizationId: string | null;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly durationMs: number;
  readonly #made: string | null;

  /** `made`: the request's id, if the service generated it. */
  constructor(
    { requestId, organizationId, method, path, status, durationMs }: Omit<RequestFields, "made">,
    made: string | null,
  ) {
    super();
    this.#made = made;
    this.requestId = requestId;
    this.organizationId = organizationId;
    this.method = method;
    this.path = path;
    this.status = status;
    this.durationMs = durationMs;
  }

  override get made(): string | null {
    return this.#made;
  }
}
