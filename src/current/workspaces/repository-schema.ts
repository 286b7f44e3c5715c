/** Repositories of a workspace on the current surface: the view, and the body that mounts one (WSP-1, WSP-6). */
import { Nullable, OneOf, SECRET_NAME_RULE, Timestamp, Type } from "../../../actors/schema.ts";
import type { Repository } from "../../../actors/workspace/schema.ts";
import { naming } from "../../http/contract/field.ts";
import { fieldsFrom, Id, noun, Text } from "../../http/contract/noun.ts";
import type { Shown } from "../../http/contract/operation.ts";

const URL_CHARACTERS = 2_048;
const BRANCH_CHARACTERS = 255;
/**
 * The names that `git check-ref-format --branch` takes. Not in it: control characters, spaces and `~^:?*[\`; `..`, `//`
 * and `@{`; a part that begins with a dot or ends with `.lock`; a dash first, a slash or a dot last; `HEAD`.
 */
export const BRANCH = String.raw`^(?!HEAD$|[-./])(?![\s\S]*(?:\.\.|//|/\.|@\{|\.lock(?:/|$)))[^\x00-\x20\x7f~^:?*\[\\]{1,255}(?<![./])$`;
const SECRET = "^[A-Za-z0-9_.-]{1,64}$";

const MOUNT = {
  url: Type.String({
    maxLength: URL_CHARACTERS,
    description: "https URL without credentials. http is allowed only for hosts that the operator has opened",
  }),
  branch: Type.Optional(
    Nullable(
      Type.String({
        pattern: BRANCH,
        maxLength: BRANCH_CHARACTERS,
        form: `the name of a branch, as git takes it, of at most ${BRANCH_CHARACTERS} characters`,
        description: "Branch; by default the repository's default branch",
      }),
    ),
  ),
  path: Type.Optional(Type.String({ description: "Directory for the files; by default the name of the repository" })),
  mode: Type.Optional(
    OneOf(["read", "write"] as const, {
      default: "read",
      description: "`read`: the files cannot be changed in the workspace; `write`: they can",
    }),
  ),
  secret: Type.Optional(
    Nullable(
      Type.String({
        pattern: SECRET,
        form: SECRET_NAME_RULE,
        description: "Name of the secret with the credentials: `user:password`, or only a token",
      }),
    ),
  ),
};

/** `POST …/repos` */
export const AddRepositoryBody = Type.Object(MOUNT, {
  examples: [{ url: "https://github.com/octocat/Hello-World", branch: "master", path: "hello" }],
});
/** `POST …/repos/clone`: an existing mount, or a new one. */
export const CloneBody = Type.Object(
  {
    repo_id: naming(
      "repository",
      Type.Optional(Type.String({ description: "An existing mount; omit it to create one from the other fields" })),
    ),
    ...MOUNT,
    url: Type.Optional(MOUNT.url),
  },
  { examples: [{ url: "https://github.com/octocat/Hello-World" }] },
);

const REPOSITORY = {
  id: Id("rep", "The mount's id"),
  provider: Text("Provider by its host: `github`, `gitlab`, `bitbucket` or `git`", "github"),
  url: Text("URL that it is cloned from", "https://github.com/octocat/Hello-World"),
  branch: Nullable(Type.String({ description: "Branch; null is the repository's default branch" })),
  path: Text("Its directory in the workspace", "hello"),
  mode: OneOf(["read", "write"] as const),
  secret: Nullable(Type.String({ description: "Name of the secret with the credentials" })),
  status: OneOf(["pending", "cloning", "ready", "error"] as const),
  commit: Nullable(Text("Commit that its files are from", "7fd1a60b01f91b314f59955a4e4d4e80d8edf11d")),
  error: Nullable(Type.String({ description: "Why the last clone failed" })),
  job_id: Nullable(Id("job", "The job of the last clone")),
  synced_at: Nullable(Timestamp),
  created_by: Id("usr", "Who added it"),
  created_at: Timestamp,
  updated_at: Timestamp,
};
export const RepositoryView = noun("Repository", "A repository whose files are in a workspace", REPOSITORY);
export const RepositoryList = noun("RepositoryList", "All repositories of a workspace", {
  repos: Type.Array(RepositoryView),
});

export const repositoryView: (repository: Repository) => Shown<typeof RepositoryView> = fieldsFrom(RepositoryView);
