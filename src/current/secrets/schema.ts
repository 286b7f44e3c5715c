/** The bodies of secrets (RUN-5). */
import { type TSchema, Type } from "../../../actors/schema.ts";
import { bad, good, textField } from "../../http/contract/field.ts";

/** Letters, digits, `_`, `-` and `.`, as variables and keys are named. */
const SECRET_NAME_PATTERN = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/;
/** Characters. A shorter secret would match ordinary text when results are searched for it. */
export const SECRET_MIN = 8;
/** Bytes of UTF-8: an RSA private key of 4,096 bits fits. */
export const SECRET_MAX_BYTES = 4_096;

/** `PUT /api/secrets/{name}` */
export const PutSecretBody = Type.Object(
  { value: Type.String() },
  { examples: [{ value: "a value of 8 characters or more" }] },
);

/** `PUT /api/provider-keys/{provider}` */
export const PutProviderKeyBody = Type.Object(
  { secret: Type.String({ description: "The name of the secret with the key" }) },
  { examples: [{ secret: "ANTHROPIC_KEY" }] },
);

/** The name of a secret in a write; an invalid one is 400, because the caller has chosen it. */
export const WrittenName = (shown: TSchema) =>
  textField<string>(shown, (text) =>
    SECRET_NAME_PATTERN.test(text)
      ? good(text)
      : bad("A name has 1 to 64 letters, digits, `_`, `-` and `.`, and does not begin with `-` or `.`"),
  );
