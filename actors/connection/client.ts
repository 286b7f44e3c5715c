/** An OAuth client that was registered by hand, and the rules for texts that it shares with other access. */
import { type Static, Type } from "../schema.ts";

/** The rule for an address, in words for the caller. */
export const WEB_ADDRESS = "an address that begins with `https://` or `http://`";
/** The rule for the name of a secret. */
export const SECRET_NAME_RULE = "the name of a secret: 1 to 64 letters, digits, `_`, `.` and `-`";

/**
 * A client that was registered by hand at an authorization server which registers none by itself (ACC-14). It is for that
 * server only. The secret's value is looked up for each request and never stored.
 */
export const OAuthClient = Type.Object(
  {
    issuer: Type.String({
      pattern: "^https?://[\\x21-\\x7e]{1,2000}$",
      form: WEB_ADDRESS,
      description: "The authorization server that knows the client, to the letter of its metadata",
      examples: ["https://auth.example"],
    }),
    id: Type.String({
      pattern: "^[\\x21-\\x7e]{1,512}$",
      form: "1 to 512 printable characters of ASCII without spaces",
      description: "The client id",
      examples: ["troupe-4711"],
    }),
    secret: Type.Optional(
      Type.String({
        pattern: "^[A-Za-z0-9_.-]{1,64}$",
        form: SECRET_NAME_RULE,
        description: "Name of the secret with the client's secret; omitted: it has none",
        examples: ["CRM_CLIENT_SECRET"],
      }),
    ),
  },
  { $id: "OAuthClient", description: "An OAuth client that was registered by hand" },
);
export type OAuthClient = Static<typeof OAuthClient>;
