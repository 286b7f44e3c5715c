/**
 * The way to the operations of a surface for requests that come over a link from another replica, whose server has
 * read them: by method and path to the same stages as Elysia's hooks run (`routes.ts`), in the same order, without a
 * `Request` and a `Response` that nobody needs. What it does not find goes Elysia's way.
 */
import type { MaybePromise } from "../../../actors/maybe-promise.ts";
import type { Answer } from "./answer.ts";
import { pathOf } from "./exchange.ts";
import type { RawInput } from "./input-reader.ts";
import { answerOf, type Stages } from "./stages.ts";
import type { Surface } from "./surface.ts";

/** A segment of the paths. */
interface Place {
  readonly next: Map<string, Place>;
  /** Any other segment is the value of this parameter. */
  any: { readonly name: string; readonly place: Place } | null;
  /** By method. */
  readonly stages: Map<string, Stages>;
}

interface Found {
  readonly stages: Stages;
  readonly params: RawInput["params"];
}

const newPlace = (): Place => ({ next: new Map(), any: null, stages: new Map() });

export class OperationDoor {
  private readonly root = newPlace();

  add(method: string, path: string, stages: Stages): void {
    let place = this.root;
    for (const segment of segmentsOf(path)) {
      const name = /^\{(\w+)\}$/.exec(segment)?.[1];
      if (name !== undefined) place = (place.any ??= { name, place: newPlace() }).place;
      else {
        const next = place.next.get(segment) ?? newPlace();
        place.next.set(segment, next);
        place = next;
      }
    }
    place.stages.set(method, stages);
  }

  /** Runs the stages for the request; null where no operation is found for it here. */
  answer(surface: Surface, request: Request): MaybePromise<Answer> | null {
    const found = this.find(request.method, pathOf(request.url));
    return found === null ? null : run(surface, request, found);
  }

  /** What takes the path, as it was sent. What is encoded is left to the router that decodes it. */
  find(method: string, path: string): Found | null {
    if (path.includes("%")) return null;
    const params: Record<string, string> = {};
    let place = this.root;
    for (const segment of segmentsOf(path)) {
      const next = place.next.get(segment);
      if (next !== undefined) place = next;
      else if (place.any !== null && segment !== "") {
        params[place.any.name] = segment;
        ({ place } = place.any);
      } else return null;
    }
    const stages = place.stages.get(method);
    return stages === undefined ? null : { stages, params };
  }
}

const segmentsOf = (path: string): string[] => path.split("/").slice(1);

function run(surface: Surface, request: Request, { stages, params }: Found): MaybePromise<Answer> {
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
