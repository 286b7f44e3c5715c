/** Who is charged for the work of a request: an organization by its id, or the address of somebody whom nobody knows. */

/** No organization's id has a space. */
const STRANGER = "address ";

export const strangerAt = (address: string): string => `${STRANGER}${address}`;
export const isStranger = (payer: string): boolean => payer.startsWith(STRANGER);
