/** Names of files in a child's folder, if the job does not choose them. */

/** The database of `sqlite-query`. */
export const SQLITE_NAME = "database";
/** The file that is previewed. */
export const PREVIEWED_NAME = "previewed";
