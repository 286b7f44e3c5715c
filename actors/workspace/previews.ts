/**
 * Port: previews of files that need a parser (WSP-2). A preview that cannot be made is null, and the file is shown
 * without it.
 */

/** A file with its current content. */
export interface PreviewedFile {
  readonly organizationId: string;
  readonly sha256: string;
  readonly size: number;
  readonly name: string;
}

/** A picture of a file, scaled down. */
export interface PreviewPicture {
  readonly mime: string;
  readonly width: number;
  readonly height: number;
  readonly bytes: Uint8Array;
}

export interface PreviewDocument {
  readonly pages: number;
  readonly text: string;
  /** Whether there is more text. */
  readonly truncated: boolean;
  /** Its first page. */
  readonly picture: PreviewPicture | null;
}

export interface PreviewTable {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: readonly (readonly unknown[])[];
  /** Whether there are more rows. */
  readonly truncated: boolean;
}

/** How a file is read as a table. */
export const TABLE_READERS = ["csv", "json", "ndjson", "parquet"] as const;
export type TableReader = (typeof TABLE_READERS)[number];

export interface Previews {
  /** HTML that is safe to show: of Markdown, or of code in the language that the name indicates. */
  html(file: PreviewedFile, text: Uint8Array, isMarkdown: boolean): Promise<string | null>;
  picture(file: PreviewedFile): Promise<PreviewPicture | null>;
  document(file: PreviewedFile): Promise<PreviewDocument | null>;
  /** Its first rows. */
  table(file: PreviewedFile, reader: TableReader): Promise<PreviewTable | null>;
}
