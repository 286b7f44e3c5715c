/** Units of size and time: their only home, so that a limit reads as what it is. */
export const KIB = 1024;
export const MIB = 1024 * KIB;

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
