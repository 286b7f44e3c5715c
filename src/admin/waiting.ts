/** How long a command waits for the process that holds the data folder. */

/** Longer than a start or a drain. A process that holds the folder longer without answering is reported. */
export const WAIT_MS = 15_000;
export const RETRY_MS = 100;
