/**
 * Connections to tool servers (ACC-6, ACC-7). Nothing here shows a token: a connection is a record of who has consented
 * to what, and `authorization_url` is a page for a signed-in person, without a secret.
 */
import {
  type Connection,
  CONNECTION_ENDS,
  CONNECTION_OWNERS,
  connectionRef,
  CONNECTION_STATUSES,
  MAX_CONNECTIONS,
  OF_ORGANIZATION,
  ownerIdOf,
} from "../../../actors/connection/schema.ts";
import { invalid, mapOutcome, refuse } from "../../../actors/fault.ts";
import { Nullable, NullableTime, OneOf, Timestamp, Type, WEB_ADDRESS } from "../../../actors/schema.ts";
import { AuthScope } from "../../../actors/job/connections.ts";
import type { Principal } from "../../../actors/organization/principal.ts";
import { ask } from "../../../actors/troupe.ts";
import { created, done } from "../../http/commit/commit.ts";
import { Count, fieldsFrom, Id, listOf, noun, Text } from "../../http/contract/noun.ts";
import type { Shown } from "../../http/contract/operation.ts";
import { originOf } from "../../http/request/caller.ts";
import { operation } from "../../operations/operation.ts";
import type { Services } from "../../operations/services.ts";
import { pageOf, pageQuery, shownPage } from "../paging.ts";
import { ConnectionId } from "../path-ids.ts";
import { permittedActions, RECORD, recordView } from "../record.ts";

export const ConnectionView = noun("Connection", "Access to a tool server that a person or an owner has consented to", {
  id: Id("con", "The connection's id"),
  owner: OneOf(CONNECTION_OWNERS, { description: "Whose access it is: one person's, or the organization's" }),
  user_id: Nullable(Id("usr", "The person whose connection it is; null for one of the organization")),
  url: Text("The address of the tool server", "https://mcp.example/mcp"),
  status: OneOf(CONNECTION_STATUSES, {
    description: "`required`: nobody has consented yet; `connected`; `ended`: it works again after a new consent",
  }),
  issuer: Nullable(Text("The authorization server", "https://auth.example")),
  client_id: Nullable(
    Text("The OAuth client that was registered by hand; null: the service registers itself", "troupe-4711"),
  ),
  scopes: Type.Array(Type.String(), { description: "Granted scopes", examples: [["files:read"]] }),
  asked_scopes: Type.Array(Type.String(), {
    description: "Scopes that the next consent asks for",
    examples: [["files:read"]],
  }),
  connected_by: Nullable(Id("usr", "The person who consented last")),
  connected_at: NullableTime,
  expires_at: Nullable(
    Type.String({ ...Timestamp, description: "When the present access token expires; it is renewed before" }),
  ),
  end: Type.Union(
    [
      noun("ConnectionEnd", "Why a connection has ended by itself", {
        reason: OneOf(CONNECTION_ENDS, {
          description:
            "`refused`: the authorization server refused to renew the access; `refresh_lost`: it refused after the answer to an earlier renewal was lost; `expired`: the access cannot be renewed; `rejected`: the tool server no longer accepts it",
        }),
        message: Text("For people", "The authorization server refused to renew the access."),
        at: Timestamp,
      }),
      Type.Null(),
    ],
    { description: "Why the connection ended by itself; null if it did not" },
  ),
  waiting_jobs: Count("Number of jobs that wait for it"),
  authorization_url: Text(
    "The page where a signed-in person grants or denies the connection",
    "https://troupe.example/connections/con_V1StGXR8_Z5jdHi6B-myT",
  ),
  ...RECORD,
});

const ConnectionTrial = noun("ConnectionTrial", "What the tool server has answered to a request with the access", {
  result: OneOf(["accepted", "refused", "unreachable", "not_connected"] as const, {
    description:
      "`accepted`: the server knows the access; `refused`: it does not; `unreachable`: there was no answer; `not_connected`: there is no access to try",
  }),
  http_status: Nullable(Type.Integer({ description: "Status of the answer" })),
  connection: ConnectionView,
});

const CreateConnectionBody = Type.Object(
  {
    url: Type.String({
      pattern: "^https?://",
      form: WEB_ADDRESS,
      maxLength: 2_048,
      description: "Address of the tool server",
    }),
    owner: Type.Optional(
      OneOf(CONNECTION_OWNERS, {
        default: "person",
        description: "Whose access it is to be: yours, or the organization's",
      }),
    ),
    scopes: Type.Optional(
      Type.Array(AuthScope, {
        maxItems: 32,
        description: "Scopes to ask for; omitted: those that the server asks for",
      }),
    ),
  },
  { examples: [{ url: "https://mcp.example/mcp", owner: "person" }] },
);

const connectionParams = { id: ConnectionId };

export const connectionOperations = {
  listConnections: operation(
    {
      method: "GET",
      path: "/api/connections",
      scope: "tokens:read",
      summary: "List your connections and those of the organization",
      query: pageQuery("connections"),
      answers: { 200: listOf("ConnectionList", "connections", ConnectionView) },
    },
    async ({ connections, access, readCommitted }, { principal }, { query }) => {
      const read = () => connections.pageConnections(principal, pageOf(query));
      return shownPage("connections", readCommitted(principal.organizationId, read), (connection) =>
        connectionView(access, connection, principal),
      );
    },
  ),

  createConnection: operation(
    {
      method: "POST",
      path: "/api/connections",
      scope: "tokens:write",
      summary: "Ask for a connection to a tool server",
      description:
        "There is one connection for each owner and address, so this also finds an existing one. A server with a client that was registered by hand (`auth.client` of an agent) has a separate connection, which the first job of the agent creates. A signed-in person consents at its `authorization_url`. For a connection of the organization you must be an owner.",
      body: CreateConnectionBody,
      answers: { 201: ConnectionView },
      errors: ["owner_required"],
      emits: "resource.created",
    },
    async (
      { access, connections, webhookTools, readCommitted },
      change,
      { body: { url, owner = "person", scopes = [] } },
    ) => {
      const refused = await webhookTools.refusalOf(url);
      if (refused !== null) return invalid("/url", refused);
      const { organizationId, userId } = change.principal;
      const ownerId = ownerIdOf(owner, userId);
      const subject = { ownerId, resource: url, scopes, resourceMetadata: null, client: null };
      const id = access.idOf(organizationId, ownerId, url);
      const of = { organizationId, userId: ownerId };
      const known = await readCommitted(organizationId, () => connections.connectionsOf(of, "", MAX_CONNECTIONS));
      if (!known.ok) return known;
      const used = known.value.length;
      if (used >= MAX_CONNECTIONS && !known.value.includes(id))
        return refuse({ kind: "quota_exceeded", quota: "connections", limit: MAX_CONNECTIONS, used });
      const ref = connectionRef(organizationId, id);
      return change.commit(
        [ask(ref, { kind: "want_connection", by: principalUser(change.principal), subject })],
        (connection) => created(connectionView(access, connection, change.principal)),
      );
    },
  ),

  getConnection: operation(
    {
      method: "GET",
      path: "/api/connections/{id}",
      scope: "tokens:read",
      summary: "Read a connection",
      params: connectionParams,
      answers: { 200: ConnectionView },
    },
    async ({ system, access }, { principal }, { params: { id } }) => {
      const by = principalUser(principal);
      const found = await system.dispatch(connectionRef(principal.organizationId, id), { kind: "read_connection", by });
      return mapOutcome(found, (connection) => connectionView(access, connection, principal));
    },
  ),

  tryConnection: operation(
    {
      method: "POST",
      path: "/api/connections/{id}/try",
      scope: "tokens:write",
      summary: "Try a connection",
      description: "Sends one request with the access to the tool server. The access is renewed if it has expired.",
      params: connectionParams,
      answers: { 200: ConnectionTrial },
      errors: ["owner_required"],
      isRead: true,
    },
    async ({ access }, { principal }, { params: { id } }) =>
      mapOutcome(
        await access.tryOut({ ...principalUser(principal), organizationId: principal.organizationId }, id),
        ({ result, status, connection }) => ({
          result,
          http_status: status,
          connection: connectionView(access, connection, principal),
        }),
      ),
  ),

  deleteConnection: operation(
    {
      method: "DELETE",
      path: "/api/connections/{id}",
      scope: "tokens:write",
      summary: "End a connection",
      description:
        "Forgets the access at once, and revokes it at its server if that can be reached. Jobs that wait for the connection go on without it.",
      params: connectionParams,
      answers: { 200: ConnectionView },
      errors: ["owner_required"],
      emits: "resource.deleted",
    },
    ({ access }, change, { params: { id } }) => {
      const by = principalUser(change.principal);
      const ref = connectionRef(change.principal.organizationId, id);
      return change.commit([ask(ref, { kind: "remove_connection", by, origin: originOf(change) })], (connection) =>
        done({ ...connectionView(access, connection, change.principal), allowed_actions: [] }),
      );
    },
  ),
};

const principalUser = ({ userId, role }: Principal) => ({ userId, isOwner: role === "owner" });

const connectionFields = fieldsFrom(ConnectionView);

export function connectionView(
  access: Pick<Services["access"], "linkOf">,
  connection: Connection,
  by: Principal,
): Shown<typeof ConnectionView> {
  const { id, ownerId, status, tokens } = connection;
  const isOrganizations = ownerId === OF_ORGANIZATION;
  const isManaged = isOrganizations ? by.role === "owner" : ownerId === by.userId;
  const actions = ["authorize", ...(status === "connected" ? ["try"] : []), "delete"];
  return {
    ...connectionFields(connection),
    owner: isOrganizations ? "organization" : "person",
    user_id: isOrganizations ? null : ownerId,
    url: connection.resource,
    client_id: connection.client?.id ?? null,
    expires_at: tokens?.expiresAt ?? null,
    waiting_jobs: connection.waiting.length,
    authorization_url: access.linkOf(id),
    ...recordView(
      connection,
      { self: `/api/connections/${id}` },
      permittedActions(by, "tokens:write", isManaged ? actions : []),
    ),
  };
}
