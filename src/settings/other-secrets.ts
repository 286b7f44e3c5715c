/** Further keys of the service, for key rotation: they open values that were sealed under them, and seal nothing. */

export const OTHER_SECRETS_SETTING = {
  env: "TROUPE_OTHER_SECRETS",
  secret: true,
  allowed: "keys of 32 bytes in base64, separated by commas",
} as const;

export const otherSecretsOf = ({ troupeOtherSecrets = [] }: { readonly troupeOtherSecrets?: readonly string[] }) =>
  troupeOtherSecrets.map((text) => new Uint8Array(Buffer.from(text, "base64")));
