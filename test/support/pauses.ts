/** Pauses between tries on the real clock, for tests that wait for none. */
import type { BackoffParts } from "../../actors/runtime/backoff.ts";
import { systemChance, systemClock } from "../../src/wiring/clock.ts";

export const PAUSES: BackoffParts = { clock: systemClock, chance: systemChance };
