/** The metadata of an authorization server: only the fields that we use, each checked, so that it can be stored. */
import { definedFields } from "../../../actors/changes.ts";
import { AuthorizationFault } from "./fault.ts";
import type { OAuthReach } from "./reach.ts";

/** Named as in RFC 8414, because the library takes it as it is; plain JSON, which only a type alias is assignable to. */
export type ServerMetadata = {
  readonly issuer: string;
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
  readonly registration_endpoint?: string;
  readonly revocation_endpoint?: string;
  readonly code_challenge_methods_supported?: string[];
  readonly token_endpoint_auth_methods_supported?: string[];
  readonly scopes_supported?: string[];
  readonly authorization_response_iss_parameter_supported?: boolean;
  readonly client_id_metadata_document_supported?: boolean;
};

/** Characters of an endpoint, and of one word of a list. */
const MAX_ENDPOINT_CHARACTERS = 2_048;
const MAX_WORD_CHARACTERS = 256;
/** Words of one list; some servers list hundreds of scopes. */
const MAX_LISTED_WORDS = 1_000;

/** The metadata in a document of `host`, whose issuer has been checked. Throws `AuthorizationFault`. */
export async function plainServer(
  reach: OAuthReach,
  host: string,
  document: Readonly<Record<string, unknown>> & { readonly issuer: string },
): Promise<ServerMetadata> {
  const endpoint = async (name: string): Promise<string | undefined> => {
    const given = document[name];
    if (given === undefined) return undefined;
    if ((await usableEndpoint(reach, given)) === null)
      throw new AuthorizationFault("untrusted", `The ${name} of ${host} is not a valid https address.`);
    return String(given);
  };
  const required = async (name: string): Promise<string> => {
    const given = await endpoint(name);
    if (given === undefined) throw new AuthorizationFault("unsupported", `${host} has no ${name}.`);
    return given;
  };
  const list = (name: string): string[] | undefined => wordsIn(document[name]);
  return definedFields({
    issuer: document.issuer,
    authorization_endpoint: await required("authorization_endpoint"),
    token_endpoint: await required("token_endpoint"),
    registration_endpoint: await endpoint("registration_endpoint"),
    revocation_endpoint: await endpoint("revocation_endpoint"),
    code_challenge_methods_supported: list("code_challenge_methods_supported"),
    token_endpoint_auth_methods_supported: list("token_endpoint_auth_methods_supported"),
    scopes_supported: list("scopes_supported"),
    authorization_response_iss_parameter_supported: isTrue(document["authorization_response_iss_parameter_supported"]),
    client_id_metadata_document_supported: isTrue(document["client_id_metadata_document_supported"]),
  });
}

const isTrue = (value: unknown): true | undefined => (value === true ? true : undefined);

/** The words of a list; undefined if the value is not a list of words. */
export function wordsIn(value: unknown): string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const isWord = (one: unknown): one is string => typeof one === "string" && one.length <= MAX_WORD_CHARACTERS;
  return value.slice(0, MAX_LISTED_WORDS).filter(isWord);
}

/** The address of an endpoint; null if no browser and no request may be sent there. */
export async function usableEndpoint({ opensPlain }: OAuthReach, given: unknown): Promise<URL | null> {
  if (typeof given !== "string" || given.length > MAX_ENDPOINT_CHARACTERS) return null;
  const url = URL.parse(given);
  if (url === null || url.hash !== "" || url.username + url.password !== "") return null;
  if (url.protocol === "https:") return url;
  return url.protocol === "http:" && (await opensPlain(given)) ? url : null;
}
