/** Refusals for paths outside of any API: a short text. */
import type { Fault } from "../../../actors/fault.ts";
import { type Dialect, type Refusal, retryAfter } from "./dialect.ts";

const plain = (status: number, text: string, headers: Readonly<Record<string, string>> = {}): Refusal => ({
  status,
  body: text,
  headers: { "content-type": "text/plain; charset=utf-8", ...headers },
});

export const plainDialect: Dialect = {
  refusal: (fault: Fault) => {
    if (fault.kind === "not_found") return plain(404, "Not found\n");
    if (fault.kind === "method_not_allowed")
      return plain(405, "Method not allowed\n", { allow: fault.allow.join(", ") });
    if (fault.kind === "invalid_request") return plain(400, `${fault.errors[0]?.message ?? "Bad request"}\n`);
    return plain(503, "Temporarily unavailable\n", retryAfter(1_000));
  },
  bug: () => plain(500, "Internal server error\n"),
};
