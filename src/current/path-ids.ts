/** The ids in paths of this surface (GEN-2). Text that cannot be an id names nothing: 404. */
import type { Noun } from "../../actors/fault.ts";
import { idPattern, type IdPrefix } from "../../actors/ids.ts";
import { pathId } from "../http/contract/field.ts";
import { Id, Text } from "../http/contract/noun.ts";

/** For ids that only the service creates; checked by their prefix. */
const exact = (prefix: IdPrefix, noun: Noun, description: string) =>
  pathId(noun, idPattern(prefix), Id(prefix, description));

/** The form of any id: library entries and imported records have ids of another origin. */
const ANY_ID = /^[A-Za-z0-9_-]{1,64}$/;

export const ChatId = exact("cht", "chat", "The chat's id");
export const MessageId = exact("msg", "message", "The message's id");
export const JobId = exact("job", "job", "The job's id");
export const MissionId = exact("mis", "mission", "The mission's id");
export const MissionTaskId = exact("mtk", "mission_task", "The task's id");
export const TokenId = exact("tok", "token", "The token's id");
export const SessionId = exact("tok", "session", "The session's id");
export const GrantId = exact("gra", "grant", "The grant's id");
export const InvitationId = exact("inv", "invitation", "The invitation's id");
export const ShareId = exact("shr", "share", "The share's id");
export const UploadId = exact("upl", "file", "The file's id");
export const AppId = exact("app", "app", "The app's id");
export const RepositoryId = exact("rep", "repository", "The mount's id");
export const MessengerId = exact("mgr", "messenger", "The messenger's id");
export const DeliveryId = exact("dlv", "delivery", "Id of any delivery attempt of the event");
export const ConnectionId = exact("con", "connection", "The connection's id");
export const UserId = pathId("user", ANY_ID, Id("usr", "The user's id"));
export const AgentId = pathId("agent", ANY_ID, Id("agt", "The agent's id"));
export const TaskId = pathId("task", ANY_ID, Text("The task's id", "task-1761955200000-x7k2m9"));
export const WorkspaceId = pathId("workspace", ANY_ID, Id("wsp", "The workspace's id"));

/** The path parameters of operations on one record. */
export const agentParams = { id: AgentId };
export const chatParams = { id: ChatId };
export const jobParams = { id: JobId };
export const missionParams = { id: MissionId };
export const workspaceParams = { id: WorkspaceId };
