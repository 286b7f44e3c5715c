/**
 * Runs operations of a surface for requests that come over a link from another replica, whose Elysia has already
 * routed them. It matches method and path with the same router that Elysia uses, and runs the same stages as its
 * hooks (`routes.ts`), in the same order, without an unneeded `Request` and `Response`. Requests that it cannot
 * match go through Elysia.
 */
import { Memoirist } from "memoirist";
import type { MaybePromise } from "../../../actors/maybe-promise.ts";
import type { Answer } from "./answer.ts";
import { pathOf } from "./exchange.ts";
import type { RawInput } from "./input-reader.ts";
import { answerOf, type Stages } from "./stages.ts";
import type { Surface } from "./surface.ts";

interface Found {
  readonly store: Stages;
  readonly params: RawInput["params"];
}

export class OperationDoor {
  /** The router that Elysia uses internally. */
  private readonly router = new Memoirist<Stages>();

  add(method: string, path: string, stages: Stages): void {
    this.router.add(method, routeOf(path), stages);
  }

  /** Runs the stages for the request; null if no operation matches here. */
  answer(surface: Surface, request: Request): MaybePromise<Answer> | null {
    const found = this.find(request.method, pathOf(request.url));
    return found === null ? null : run(surface, request, found);
  }

  /** The match for the path as it was sent. Encoded paths are left to the server's router, which decodes them. */
  find(method: string, path: string): Found | null {
    return path.includes("%") ? null : this.router.find(method, path);
  }
}

/** A path of the contract in the notation of Elysia and its router. */
export const routeOf = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ":$1");

function run(surface: Surface, request: Request, { store: stages, params }: Found): MaybePromise<Answer> {
  const exchange = surface.begin(request);
  exchange.takesPlain = true;
  try {
    stages.admit(exchange);
    if (exchange.early !== undefined) return exchange.early;
    stages.read(exchange, params);
    if (exchange.early !== undefined) return exchange.early;
    stages.run(exchange);
    return answerOf(surface, exchange);
  } catch (cause) {
    return surface.failed(exchange, cause);
  }
}
