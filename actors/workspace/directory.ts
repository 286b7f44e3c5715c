/**
 * Lists of a workspace, read from the tables after `System.settled`, so that they show their caller's own
 * writes. Throws when the database cannot be reached.
 */
import type { Page, PageRequest } from "../page.ts";
import type { DirectoryPlace, FilePlace, Share, Version } from "./schema.ts";

/** A file or directory, by its path from the root of the workspace. */
export interface ListedPlace {
  readonly path: string;
  readonly place: FilePlace | DirectoryPlace;
}

export interface PlaceQuery {
  readonly organizationId: string;
  readonly directoryId: string;
  /** The path of the directory; empty for the root. */
  readonly directory: string;
  /** Whether what is below its directories is listed too. */
  readonly isRecursive: boolean;
  /** The last path of the page before; null for the first page. */
  readonly after: string | null;
  readonly limit: number;
}

export interface FoundPlace extends ListedPlace {
  /** Lines around the words that were found; null where the name was. */
  readonly excerpt: string | null;
}

export interface SharePlace {
  readonly organizationId: string;
  readonly workspaceId: string;
  readonly shareId: string;
}

export interface AppPlace {
  readonly organizationId: string;
  readonly workspaceId: string;
}

export interface FileDirectory {
  /** By path, in the order of its bytes. */
  listPlaces(query: PlaceQuery): Promise<readonly ListedPlace[]>;
  /** Files whose name has the text, then files that have its words; at most `limit`. */
  search(
    of: { readonly organizationId: string; readonly workspaceId: string },
    text: string,
    limit: number,
  ): Promise<readonly FoundPlace[]>;
  /** Former versions that can still be read at `now` (ISO 8601), newest first. */
  listVersions(organizationId: string, fileId: string, now: string): Promise<readonly Version[]>;
  pageShares(
    of: { readonly organizationId: string; readonly workspaceId: string },
    page: PageRequest,
  ): Promise<Page<Share>>;
  /** The workspace of the app with this label. */
  findApp(label: string): Promise<AppPlace | null>;
  /** Where the share of a token is, by the SHA-256 of the token (hex). */
  findShare(hash: string): Promise<SharePlace | null>;
}
