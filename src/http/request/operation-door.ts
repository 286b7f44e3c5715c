/**
 * The way to the operations of a surface for requests that come over a link from another replica, whose Elysia has
 * routed them there: by method and path, in Elysia's own router, to the same stages as its hooks run (`routes.ts`), in
 * the same order, without a `Request` and a `Response` that nobody needs. What it does not find goes through Elysia.
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
  /** The router that Elysia has inside. */
  private readonly router = new Memoirist<Stages>();

  add(method: string, path: string, stages: Stages): void {
    this.router.add(method, routeOf(path), stages);
  }

  /** Runs the stages for the request; null where no operation is found for it here. */
  answer(surface: Surface, request: Request): MaybePromise<Answer> | null {
    const found = this.find(request.method, pathOf(request.url));
    return found === null ? null : run(surface, request, found);
  }

  /** What takes the path, as it was sent. What is encoded is left to the server's router, which decodes it. */
  find(method: string, path: string): Found | null {
    return path.includes("%") ? null : this.router.find(method, path);
  }
}

/** A path of the contract as Elysia and its router write it. */
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
