/** A system of actors that a test chooses, over a store of its choice: quiet, unless the test says who listens. */
import type { Protocols } from "../../actors/runtime/actor.ts";
import { System, type SystemParts } from "../../actors/runtime/system.ts";

/** Some parts of a system; the others have defaults. */
export type GivenParts<K extends keyof SystemParts> = Pick<SystemParts, K> & Partial<SystemParts>;

const QUIET = { debug: () => {}, warn: () => {}, error: () => {} };

/** Not started, and without handlers of effects. */
export const bareSystem = <P extends Protocols>(
  parts: GivenParts<"definitions" | "store" | "placement" | "clock" | "chance">,
): System<P> => new System<P>({ log: QUIET, onLost: () => {}, ...parts });
