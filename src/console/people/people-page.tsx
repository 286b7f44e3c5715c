/** People and access: members, groups, tokens, sessions, programs, connections, secrets, notices and the audit. */
import { SubPages } from "../pieces/sub-pages.tsx";
import { AuditPage } from "./audit-page.tsx";
import { ConnectionsPage } from "./connections-page.tsx";
import { GroupsPage } from "./groups-page.tsx";
import { InvitationsPage } from "./invitations-page.tsx";
import { MembersPage } from "./members-page.tsx";
import { NoticesPage } from "./notices-page.tsx";
import { ProgramsPage } from "./programs-page.tsx";
import { SecretsPage } from "./secrets-page.tsx";
import { SessionsPage } from "./sessions-page.tsx";
import { PersonalTokensPage, ServiceTokensPage } from "./tokens-page.tsx";

const ACCESS_PAGES = [
  { path: "/people", name: "Members", Page: MembersPage },
  { path: "/people/groups", name: "Groups", Page: GroupsPage },
  { path: "/people/invitations", name: "Invitations", Page: InvitationsPage },
  { path: "/people/tokens", name: "Your tokens", Page: PersonalTokensPage },
  { path: "/people/service-tokens", name: "Service tokens", Page: ServiceTokensPage },
  { path: "/people/sessions", name: "Sessions", Page: SessionsPage },
  { path: "/people/programs", name: "Programs", Page: ProgramsPage },
  { path: "/people/connections", name: "Connections", Page: ConnectionsPage },
  { path: "/people/secrets", name: "Secrets", Page: SecretsPage },
  { path: "/people/notices", name: "Notices", Page: NoticesPage },
  { path: "/people/audit", name: "Audit", Page: AuditPage },
];

export const PeoplePages = () => <SubPages name="People and access" pages={ACCESS_PAGES} />;
