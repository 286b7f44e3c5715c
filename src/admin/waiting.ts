/** How long a command waits for who has the data folder. */

/** A start and a drain are shorter; a process that has the folder for longer and does not answer is reported. */
export const WAIT_MS = 15_000;
export const RETRY_MS = 100;
