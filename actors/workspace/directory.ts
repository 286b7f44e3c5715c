/**
 * Lists of a workspace, read from the tables after `System.settled`, so that they show their caller's own
 * writes. Throws when the database cannot be reached.
 */
import type { Page, PageRequest } from "../page.ts";
import type { DirectoryPlace, FilePlace, Share, Version } from "./schema.ts";

/** A file or directory, with its path from the root of the workspace. */
export interface ListedPlace {
  readonly path: string;
  readonly place: FilePlace | DirectoryPlace;
}

export interface PlaceQuery {
  readonly organizationId: string;
  readonly directoryId: string;
  /** The path of the directory; empty for the root. */
  readonly directory: string;
  /** Whether the contents of its directories are listed too. */
  readonly isRecursive: boolean;
  /** The last path of the previous page; null for the first page. */
  readonly after: string | null;
  readonly limit: number;
}

export interface FoundPlace extends ListedPlace {
  /** Lines around the words that were found; null if the name matched. */
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
  /** Ordered by the bytes of the path. */
  listPlaces(query: PlaceQuery): Promise<readonly ListedPlace[]>;
  /** Files whose name contains the text, then files that contain its words; at most `limit`. */
  search(
    of: { readonly organizationId: string; readonly workspaceId: string },
    text: string,
    limit: number,
  ): Promise<readonly FoundPlace[]>;
  /** Earlier versions that can still be read at `now` (ISO 8601), newest first. */
  listVersions(organizationId: string, fileId: string, now: string): Promise<readonly Version[]>;
  pageShares(
    of: { readonly organizationId: string; readonly workspaceId: string },
    page: PageRequest,
  ): Promise<Page<Share>>;
  /** The workspace of the app with this label. */
  findApp(label: string): Promise<AppPlace | null>;
  /** The place of a token's share, by the SHA-256 of the token (hex). */
  findShare(hash: string): Promise<SharePlace | null>;
}
