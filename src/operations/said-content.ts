/** The content of a message in operations: the field of their bodies, and how it is resolved (FILE-5, FILE-6). */
import { type Outcome, refuse } from "../../actors/fault.ts";
import { hasScope } from "../../actors/organization/principal.ts";
import { OneOf, Type } from "../../actors/schema.ts";
import { MESSAGE_BLOCKS, UPLOAD_NAME } from "../../actors/upload/terms.ts";
import { checkedField } from "../http/contract/body-schema.ts";
import { Id, Text } from "../http/contract/noun.ts";
import { withinMessage } from "../http/contract/limits.ts";
import type { Change } from "../http/commit/commit.ts";
import { attachContent, type SaidContent } from "../work/attaching.ts";
import { contentErrors, foreignContentErrors, type GivenContent } from "../work/content-blocks.ts";
import type { Services } from "./services.ts";

const closedObject = { additionalProperties: false } as const;
const SourceField = Type.Union(
  [
    Type.Object(
      { kind: Type.Literal("upload"), file_id: Id("upl", "Id of a file from `POST /api/files`") },
      closedObject,
    ),
    Type.Object(
      {
        kind: Type.Literal("workspace"),
        workspace_id: Id("wsp", "Id of the workspace; the token needs `workspaces:read`"),
        path: Text("Path of the file in the workspace", "reports/q3.pdf"),
        version: Type.Optional(
          Type.Integer({ minimum: 1, description: "Version of the file; by default the current one" }),
        ),
      },
      closedObject,
    ),
    Type.Object(
      {
        kind: Type.Literal("url"),
        url: Text("An https URL, fetched once when the message is sent", "https://example.com/a.png"),
      },
      closedObject,
    ),
  ],
  { $id: "ContentSource", description: "Where the content is. The message keeps it as it is at the time of sending" },
);
const ContentBlock = Type.Union(
  [
    Type.Object(
      { type: Type.Literal("text"), text: Text("The text", "What does this invoice ask for?") },
      closedObject,
    ),
    Type.Object(
      {
        type: OneOf(["image", "file"] as const),
        source: SourceField,
        name: Type.Optional(Type.String({ minLength: 1, maxLength: UPLOAD_NAME, description: "Name of the file" })),
      },
      closedObject,
    ),
  ],
  { $id: "ContentBlock", description: "Part of a message: text, an image, or a file (PDF or text)" },
);

/** `field` is the name of the field; errors begin with it. */
export const contentField = (description: string) =>
  checkedField<GivenContent>(
    Type.Union([Type.String({ minLength: 1 }), Type.Array(ContentBlock, { minItems: 1, maxItems: MESSAGE_BLOCKS })], {
      description: `${description}: text, or blocks; a source is {kind: upload, file_id}, {kind: workspace, workspace_id, path} or {kind: url, url}`,
    }),
    contentErrors,
  );

/** The service fetches URLs during this time. */
const FETCHING_QUIET_SECONDS = 120;

/** Refuses content whose text is too long. */
export const withinContent = (content: GivenContent, field: string): Outcome<null> =>
  withinMessage(
    typeof content === "string"
      ? content
      : content.map((block) => (block.type === "text" ? block.text : "")).join("\n\n"),
    field,
  );

/** Refuses content that is blank, malformed or too long; fetches nothing. */
export function usableContent(content: GivenContent, field: string): Outcome<null> {
  const errors = foreignContentErrors(content, field);
  return errors.length > 0 ? refuse({ kind: "invalid_request", errors }) : withinContent(content, field);
}

/**
 * Pins the files and URLs that the content names. Refuses content that is too long, missing, or of a type that messages
 * do not take. The content of other protocols is checked only here.
 */
export async function saidContent(
  services: Services,
  change: Pick<Change, "principal" | "signal" | "keepOpen">,
  content: GivenContent,
  field = "content",
): Promise<Outcome<SaidContent>> {
  const fits = usableContent(content, field);
  if (!fits.ok) return fits;
  if (typeof content !== "string") change.keepOpen(FETCHING_QUIET_SECONDS);
  const { organizationId, userId, scopes } = change.principal;
  const by = { organizationId, userId, readsWorkspaces: hasScope(scopes, "workspaces:read"), signal: change.signal };
  return attachContent(services, by, { content, field });
}
