/** The page that explains each error code, and where an error's `type` leads (ERR-1). */
export const ERRORS_PATH = "/api/errors";

export const errorUrl = (appUrl: string, code: string): string => `${appUrl}${ERRORS_PATH}#error-${code}`;
