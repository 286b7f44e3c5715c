/** Successful calls of the operations on workspaces: their files, shares, uploads, apps and repositories. */
import { of, type Happy } from "./happy-ask.ts";

export const happyWorkspaces: Readonly<Record<string, Happy>> = {
  createWorkspace: () => ({ body: { name: "Second", description: "For the walk", instructions: null } }),
  updateWorkspace: async (world) => ({ ...of(await world.workspace()), body: { instructions: "Be brief." } }),
  deleteWorkspace: async (world) => of((await world.call("createWorkspace", { body: { name: "Gone" } })).id),
  selectWorkspace: async (world) => of(await world.workspace()),
  listFiles: async (world) => ({
    ...of((await world.file()).id),
    query: [
      ["recursive", "true"],
      ["glob", "*.txt"],
      ["limit", "2"],
    ],
  }),
  searchFiles: async (world) => ({ ...of((await world.file()).id), query: [["q", "content"]] }),
  readFile: async (world) => {
    const { id, path, etag } = await world.file();
    const ask = { ...of(id), query: [["path", path]] } as const;
    return [
      { ...ask, status: 200 },
      { ...ask, headers: { range: "bytes=0-2" }, status: 206 },
      { ...ask, headers: { "if-none-match": etag }, status: 304 },
    ];
  },
  writeFile: async (world) => {
    const { id, path, etag } = await world.file();
    const sent = { ...of(id), raw: "more", headers: { "content-type": "text/plain" } };
    return [
      { ...sent, query: [["path", `new/${path}`]], status: 201 },
      { ...sent, query: [["path", path]], headers: { ...sent.headers, "if-match": etag }, status: 200 },
      {
        ...sent,
        query: [["path", path]],
        headers: {
          ...sent.headers,
          "content-range": "bytes 0-3/10",
          "repr-digest": "sha-256=:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=:",
        },
        status: 202,
      },
    ];
  },
  deleteFile: async (world) => {
    const { id, path } = await world.file();
    return { ...of(id), query: [["path", path]] };
  },
  listFileVersions: async (world) => {
    const { id, path } = await world.file();
    return { ...of(id), query: [["path", path]] };
  },
  createDirectory: async (world) => {
    const ask = { ...of(await world.workspace()), body: { path: world.name("directory") } };
    return [
      { ...ask, status: 201 },
      { ...ask, status: 200 },
    ];
  },
  moveFile: async (world) => {
    const { id, path } = await world.file();
    return { ...of(id), body: { from: path, to: `moved/${path}`, overwrite: true } };
  },
  previewFile: async (world) => {
    const { id, path } = await world.file();
    return { ...of(id), body: { path } };
  },
  queryData: async (world) => {
    const { id } = await world.file();
    return { ...of(id), body: { query: "SELECT $1 AS answer", params: [42] } };
  },
  shareFile: async (world) => {
    const { id, path } = await world.file();
    return { ...of(id), body: { path, expires_in_seconds: 60, max_downloads: 2, password: "secret" } };
  },
  listShares: async (world) => of((await world.share()).workspaceId),
  revokeShare: async (world) => {
    const { workspaceId, id } = await world.share();
    return { params: { id: workspaceId, share_id: id } };
  },
  listUnfinishedUploads: async (world) => {
    await world.unfinishedUpload();
    return {};
  },
  endUnfinishedUpload: async (world) => of(await world.unfinishedUpload()),
  listApps: async (world) => of((await world.app()).workspaceId),
  createApp: async (world) => {
    const { id, path } = await world.file();
    return { ...of(id), body: { name: "An app", slug: world.name("app").toLowerCase(), path: "", entry: path } };
  },
  deleteApp: async (world) => {
    const { workspaceId, id } = await world.app();
    return { params: { id: workspaceId, app_id: id } };
  },
  listRepositories: async (world) => of((await world.repository()).workspaceId),
  addRepository: async (world) => ({
    ...of(await world.workspace()),
    body: { url: "https://git.example/a.git", branch: "main", path: world.name("mount"), mode: "write" },
  }),
  cloneRepository: async (world) => ({
    ...of(await world.workspace()),
    body: { url: "https://127.0.0.1:1/a.git", path: world.name("mount") },
  }),
  getRepository: async (world) => {
    const { workspaceId, id } = await world.repository();
    return { params: { id: workspaceId, repo_id: id } };
  },
  syncRepository: async (world) => {
    const { workspaceId, id } = await world.repository();
    return { params: { id: workspaceId, repo_id: id } };
  },
  removeRepository: async (world) => {
    const { workspaceId, id } = await world.repository();
    return { params: { id: workspaceId, repo_id: id } };
  },
  openShare: async (world) => {
    const ask = { params: { token: (await world.share()).token }, token: null };
    return [
      { ...ask, status: 200 },
      { ...ask, headers: { range: "bytes=1-2" }, status: 206 },
      { ...ask, headers: { "if-none-match": "*" }, status: 304 },
    ];
  },
};
