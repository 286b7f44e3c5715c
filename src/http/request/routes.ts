/**
 * The pipeline as Elysia's lifecycle: a group of operations becomes a plugin, and each stage a hook.
 *
 *   derive: begin ▶ beforeHandle: admit ▶ beforeHandle: read ▶ handler: run ▶ onAfterHandle: answer
 *                       └── a stage that refuses answers at once, and the rest is skipped
 *   onError: exceptions
 *
 * No hook waits. A stage that must wait stores its promise in the exchange, and later stages continue when it
 * resolves. A read from memory involves no promise, and Bun sends its answer in the same turn of the loop.
 *
 * Elysia decides three things by a function's source text (docs/decisions/0020). A hook that looks asynchronous,
 * even one that returns a call, makes the whole route asynchronous: so each hook returns a field. Elysia parses
 * queries, cookies and headers that a hook destructures: so hooks destructure only what they need. We read bodies
 * ourselves, after the token and within our limits: so `parse` is `none` where Elysia would read one.
 */
import { Elysia } from "elysia";
import { deprecationHeaders } from "../contract/deprecation.ts";
import type { Handlers, OperationContract, OperationGroup, OperationTable } from "../contract/operation.ts";
import type { RawInput } from "./input-reader.ts";
import { routeOf } from "./operation-door.ts";
import { answerOf, Stages } from "./stages.ts";
import type { Surface } from "./surface.ts";

const NONE: RawInput["params"] = {};

/**
 * The plugin of a group on its surface. Its name must be unique: Elysia drops the hooks of a second plugin of the
 * same name.
 */
export function operationRoutes<T extends OperationTable, S>(
  surface: Surface,
  group: OperationGroup<T>,
  handlers: Handlers<T, S>,
  services: S,
) {
  const routes = new Elysia({ name: `operations of ${group.tag}` })
    .derive(({ request }) => ({ exchange: surface.begin(request) }))
    .onError(({ exchange, error, request }) =>
      exchange === undefined ? surface.failed(surface.begin(request), error) : surface.failed(exchange, error),
    )
    .onAfterHandle(({ exchange }) => (exchange.isAnswered ? undefined : answerOf(surface, exchange)));
  for (const operation of surface.operations.add(group, handlers, services)) {
    const { method, path } = operation.contract;
    const stages = new Stages(surface, operation, headersOf(operation.contract));
    surface.door.add(method, path, stages);
    const beforeHandle = [
      ({ exchange }: StageContext) => {
        stages.admit(exchange);
        return exchange.early;
      },
      ({ exchange, params = NONE }: StageContext) => {
        stages.read(exchange, params);
        return exchange.early;
      },
    ];
    routes.route(
      method,
      routeOf(path),
      ({ exchange }) => {
        stages.run(exchange);
        return exchange.result;
      },
      // Elysia reads no body of a GET, and `parse` would make the route asynchronous.
      method === "GET" ? { beforeHandle } : { beforeHandle, parse: "none" },
    );
  }
  return routes;
}

interface StageContext {
  readonly exchange: ReturnType<Surface["begin"]>;
  readonly params?: RawInput["params"];
}

/** The headers of every answer of the operation. */
const headersOf = ({ deprecation, signed }: OperationContract): Readonly<Record<string, string>> | null =>
  signed?.headers ?? (deprecation === undefined ? null : deprecationHeaders(deprecation));
