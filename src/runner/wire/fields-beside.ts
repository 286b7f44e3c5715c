/** The fields of a frame that we do not read ourselves and send back (`provider-state.ts`). */
import type { WireFrame } from "./frame.ts";

/** The fields with these names that have a value. */
export const fieldsBeside = (frame: WireFrame, isUnknown: (name: string) => boolean): object =>
  Object.fromEntries(Object.entries(frame).filter(([name, value]) => value !== null && isUnknown(name)));
