/**
 * The audit as one file (AUTH-17), written page by page as its reader takes it: so a year of entries is never in
 * memory at once. If the reader's token or membership ends, no further page follows, and the file is cut off.
 */
import type { Outcome } from "../../../actors/fault.ts";
import { AUDIT_ACTIONS, type AuditEntry } from "../../../actors/organization/schema.ts";
import type { Page, PageCursor } from "../../../actors/page.ts";
import { Nullable, OneOf, Timestamp } from "../../../actors/schema.ts";
import { Id, noun, Text } from "../../http/contract/noun.ts";
import type { Shown } from "../../http/contract/operation.ts";

export const EXPORT_FORMATS = ["csv", "ndjson"] as const;

type ExportFormat = (typeof EXPORT_FORMATS)[number];

export const AuditEntryView = noun("AuditEntry", "What somebody did with a credential, or to a member", {
  id: Id("aud", "The entry's id"),
  action: OneOf(AUDIT_ACTIONS, { description: "What was done", examples: ["token.created"] }),
  user_id: Nullable(Id("usr", "User who did it; null for the operator or an unknown person")),
  token_id: Nullable(Id("tok", "Token or session that was used")),
  address: Nullable(Text("The remote address; an IPv6 address as its /64", "203.0.113.7")),
  subject_id: Nullable(
    Text("Subject of the action: a token, a user, a grant or an invitation", "tok_V1StGXR8_Z5jdHi6B-myT"),
  ),
  detail: Nullable(Text("A detail, such as a name or a role", "The build server")),
  created_at: Timestamp,
});

type Row = Shown<typeof AuditEntryView>;

const COLUMNS = [
  "id",
  "created_at",
  "action",
  "user_id",
  "token_id",
  "address",
  "subject_id",
  "detail",
] as const satisfies readonly (keyof Row)[];

/** Beginnings that a spreadsheet takes for a formula; a text that starts so gets an apostrophe in front. */
const FORMULA = /^[=+\-@\t\r]/;

/** A cell that every program reads as text. */
export const csvCell = (value: string | null): string => {
  const text = value ?? "";
  return `"${(FORMULA.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
};

const FORMS: Readonly<
  Record<ExportFormat, { readonly contentType: string; readonly head: string; readonly line: (row: Row) => string }>
> = {
  csv: {
    contentType: "text/csv; charset=utf-8; header=present",
    head: `${COLUMNS.join(",")}\r\n`,
    line: (row) => `${COLUMNS.map((column) => csvCell(row[column])).join(",")}\r\n`,
  },
  ndjson: { contentType: "application/x-ndjson", head: "", line: (row) => `${JSON.stringify(row)}\n` },
};

export interface ExportParts {
  readonly format: ExportFormat;
  readonly first: Page<AuditEntry>;
  /** The page after this cursor; refuses if the reader has lost access. */
  readonly next: (after: PageCursor) => Promise<Outcome<Page<AuditEntry>>>;
  readonly view: (entry: AuditEntry) => Row;
}

export function auditFile({ format, first, next, view }: ExportParts): Response {
  const { contentType, head, line } = FORMS[format];
  const encoder = new TextEncoder();
  const textOf = ({ records }: Page<AuditEntry>): string => records.map((entry) => line(view(entry))).join("");
  let after: PageCursor | null = first.next;
  const body = new ReadableStream<Uint8Array>({
    start(sink) {
      sink.enqueue(encoder.encode(head + textOf(first)));
      if (after === null) sink.close();
    },
    async pull(sink) {
      if (after === null) return;
      const page = await next(after);
      if (!page.ok) {
        sink.error(new Error(`the export ends here: ${page.fault.kind}`));
        return;
      }
      after = page.value.next;
      // A filter may leave a page empty.
      sink.enqueue(encoder.encode(textOf(page.value)));
      if (after === null) sink.close();
    },
  });
  return new Response(body, {
    headers: { "content-type": contentType, "content-disposition": `attachment; filename="audit.${format}"` },
  });
}
