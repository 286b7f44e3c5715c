/** What files are called in the folder of a child, where the job does not choose. */

/** The database of `sqlite-query`. */
export const SQLITE_NAME = "database";
/** What a preview is made of. */
export const PREVIEWED_NAME = "previewed";
