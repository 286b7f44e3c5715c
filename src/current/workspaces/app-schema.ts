/** Apps of a workspace on the current surface: the view, and the body that creates one (WSP-1, WSP-14). */
import { OneOf, Timestamp, Type } from "../../../actors/schema.ts";
import type { App } from "../../../actors/workspace/schema.ts";
import { fieldsFrom, Id, noun, Text } from "../../http/contract/noun.ts";
import type { Shown } from "../../http/contract/operation.ts";

const APP_NAME_CHARACTERS = 200;
/** A label of a host name, with room for the part that makes it unguessable. */
const SLUG = "^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$";

/** `POST …/apps` */
export const CreateAppBody = Type.Object(
  {
    name: Type.String({ pattern: "\\S", maxLength: APP_NAME_CHARACTERS, description: "Display name" }),
    slug: Type.String({
      pattern: SLUG,
      description: "Part of the URL; unique in the workspace",
      errorMessage:
        "Field slug must have 1 to 40 lower-case letters, digits and `-`, and must not begin or end with `-`",
    }),
    path: Type.Optional(Type.String({ description: "Directory with the app's files; by default the slug" })),
    entry: Type.Optional(Type.String({ default: "index.html", description: "Start page, relative to the directory" })),
  },
  { examples: [{ name: "Dashboard", slug: "dashboard", path: "apps/dashboard" }] },
);

export const AppView = noun("App", "A directory of static files that anyone with the URL can open", {
  id: Id("app", "The app's id"),
  name: Text("Display name", "Dashboard"),
  slug: Text("Part of its URL", "dashboard"),
  kind: OneOf(["static"] as const, { description: "Kind of app" }),
  path: Text("Directory with the app's files", "apps/dashboard"),
  entry: Text("Start page", "index.html"),
  url: Text("URL at which anyone can open the app", "https://troupe.example/apps/dashboard-4f0k2m9x7q1c/"),
  status: OneOf(["ready"] as const, { description: "Status of the app" }),
  created_by: Id("usr", "Who made it"),
  created_at: Timestamp,
});
export const AppList = noun("AppList", "All apps of a workspace", {
  apps: Type.Array(AppView, { description: "In order of creation" }),
});

const appFields = fieldsFrom(AppView);

export const appView = (app: App, url: string): Shown<typeof AppView> => ({
  ...appFields(app),
  kind: "static",
  url,
  status: "ready",
});
