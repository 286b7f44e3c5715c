/** Who is charged for the work of a request: an organization by its id, or a caller without a valid token by address. */

/** No organization's id has a space. */
const STRANGER = "address ";

export const strangerAt = (address: string): string => `${STRANGER}${address}`;
export const isStranger = (payer: string): boolean => payer.startsWith(STRANGER);
