/** The numbers of reach (REACH-8). All code and documents take them from here. */
import { HOUR_MS } from "../units.ts";

/** The window in which attempts are counted. */
export const NOTICE_WINDOW_MS = HOUR_MS;
/** Attempts for one organization in a window, successful or not. */
export const NOTICES_OF_ORGANIZATION = 300;
/** Attempts for one job in a window. */
export const NOTICES_OF_JOB = 60;
/** Messengers of one organization. */
export const MESSENGERS_LIMIT = 8;
/** Attempts of one notice; each has a key. */
export const NOTICE_ATTEMPTS = 10;
/** People who are told of one approval by mail; after an escalation as many others. */
export const MAILED_PEOPLE = 16;
