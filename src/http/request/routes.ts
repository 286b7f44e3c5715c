/**
 * The pipeline as Elysia's lifecycle: a group of operations becomes a plugin, and each stage a hook.
 *
 *   derive: begin ▶ beforeHandle: admit ▶ beforeHandle: read ▶ handler: run ▶ onAfterHandle: answer
 *                       └── a stage that refuses answers at once, and the rest is left out
 *   onError: what was thrown
 *
 * Three things that Elysia decides by a function's text (docs/decisions/0020): a hook that may wait is `async`,
 * or its promise is taken for its value; only what is needed is destructured, or queries, cookies and headers are
 * parsed for nothing; bodies are read by us after the token and within our limits, so `parse` is `none`.
 */
import { Elysia } from "elysia";
import { deprecationHeaders } from "../contract/deprecation.ts";
import type { Handlers, OperationContract, OperationGroup, OperationTable } from "../contract/operation.ts";
import type { RawInput } from "./input-reader.ts";
import type { BoundOperation, Result } from "./operations.ts";
import type { Surface } from "./surface.ts";

const NONE: RawInput["params"] = {};

/** The plugin of a group on its surface. Its name has to be its own: Elysia drops the hooks of a second one. */
export function operationRoutes<T extends OperationTable, S>(
  surface: Surface,
  group: OperationGroup<T>,
  handlers: Handlers<T, S>,
  services: S,
) {
  const routes = new Elysia({ name: `operations of ${group.tag}` })
    .derive(({ request }) => ({ exchange: surface.begin(request) }))
    .onError(({ exchange, error, request }) => surface.failed(exchange ?? surface.begin(request), error))
    .onAfterHandle(({ exchange, responseValue }) =>
      exchange.isAnswered ? undefined : surface.answer(exchange, responseValue as Result),
    );
  for (const operation of surface.operations.add(group, handlers, services)) {
    const { method, path } = operation.contract;
    const headers = headersOf(operation.contract);
    routes.route(
      method,
      path.replaceAll(/\{(\w+)\}/g, ":$1"),
      // oxlint-disable-next-line typescript/promise-function-async
      async ({ exchange }) => surface.run(exchange, operation),
      {
        parse: "none",
        beforeHandle: [
          async ({ exchange }) => {
            exchange.headers = headers;
            return surface.admit(exchange, operation);
          },
          readStage(surface, operation),
        ],
      },
    );
  }
  return routes;
}

interface ReadContext {
  readonly exchange: ReturnType<Surface["begin"]>;
  readonly params?: RawInput["params"];
}

/** Where nothing has to be waited for, nothing is. */
const readStage = (surface: Surface, operation: BoundOperation) =>
  operation.isRead && !operation.reader.waits
    ? ({ exchange, params = NONE }: ReadContext) => surface.readHead(exchange, operation, params)
    : async ({ exchange, params = NONE }: ReadContext) => surface.read(exchange, operation, params);

/** What every answer of the operation says besides. */
const headersOf = ({ deprecation, signed }: OperationContract): Readonly<Record<string, string>> | null =>
  signed?.headers ?? (deprecation === undefined ? null : deprecationHeaders(deprecation));
