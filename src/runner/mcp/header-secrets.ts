/** The headers of an MCP server, built from secrets for each request (RUN-5). */
import type { McpServer } from "../../../actors/job/connections.ts";
import type { SecretReader } from "../../connections/client-secret.ts";
import { maskSecrets } from "../mask.ts";
import { identityHeader } from "../agent-identity.ts";
import { McpFailure } from "./failure.ts";
import { HEADER_VALUE } from "../../../actors/header-name.ts";

export class HeaderSecrets {
  private readonly secrets: SecretReader;
  private readonly organizationId: string;
  private readonly server: McpServer;
  /** Every value that was sent, so that an echo of a former value is masked too. */
  private readonly sent = new Set<string>();

  /** A token that says who acts; null where the server is not told. */
  private readonly identity: (() => string) | null;

  constructor(
    secrets: SecretReader,
    organizationId: string,
    server: McpServer,
    identity: (() => string) | null = null,
  ) {
    this.secrets = secrets;
    this.organizationId = organizationId;
    this.server = server;
    this.identity = identity;
  }

  /** Throws `McpFailure` if a secret is missing. */
  async headers(): Promise<Record<string, string>> {
    const headers: Record<string, string> = {};
    for (const { name, secret, prefix = "" } of this.server.headers ?? []) {
      const value = await this.secrets.read(this.organizationId, secret);
      if (!value.ok) {
        throw new McpFailure(
          value.fault.kind === "not_found"
            ? `the secret ${secret} for its headers does not exist`
            : `the secret ${secret} cannot be read now`,
        );
      }
      if (!HEADER_VALUE.test(value.value)) throw new McpFailure(`the secret ${secret} cannot be sent in a header`);
      this.sent.add(value.value);
      headers[name.toLowerCase()] = prefix + value.value;
    }
    const token = this.identity?.();
    if (token === undefined) return headers;
    this.sent.add(token);
    return { ...headers, authorization: identityHeader(token) };
  }

  /** A value that was sent otherwise, such as an access token: it is masked too. */
  note(value: string): void {
    this.sent.add(value);
  }

  /** `text` without any value that was sent. */
  mask(text: string): string {
    return maskSecrets(text, [...this.sent]);
  }
}
