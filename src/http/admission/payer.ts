/**
 * Who is charged for the work of a request: an organization by its id, or a caller without a valid token by address.
 */

const ADDRESS = "address ";
const ORGANIZATION = "org_";

export const addressPayer = (address: string): string => `${ADDRESS}${address}`;
export const isAddress = (payer: string): boolean => payer.startsWith(ADDRESS);
/**
 * Whether the payer is not an organization: an address, or an actor for counting addresses or for accounts, which
 * also work for callers without a valid token.
 */
export const isStranger = (payer: string): boolean => !payer.startsWith(ORGANIZATION);
