/** How long a command waits for who has the data folder. */

/** A start and a drain are shorter; who has the folder for longer and does not answer is told of. */
export const WAIT_MS = 15_000;
export const RETRY_MS = 100;
