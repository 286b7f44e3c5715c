/** Further keys of the service, for key rotation: they open values that were sealed under them, and seal nothing. */

export const otherSecretsOf = ({ troupeOtherSecrets = [] }: { readonly troupeOtherSecrets?: readonly string[] }) =>
  troupeOtherSecrets.map((text) => new Uint8Array(Buffer.from(text, "base64")));
