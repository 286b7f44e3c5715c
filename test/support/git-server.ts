/** A git server over TLS, with repositories that the tests make: git's own programs behind a few lines of HTTP. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { CertificateAuthority } from "./certificates.ts";

export const hasGit = Bun.which("git") !== null;

export interface GitServer {
  /** Of the repository with this name, on its host, which is `git.test` unless given. */
  url(name: string): string;
  /** Makes a commit with these files; null removes one. Answers its id. */
  commit(name: string, files: Readonly<Record<string, string | Uint8Array | null>>, branch?: string): string;
  /** Runs git in the working tree of a repository. */
  git(name: string, ...args: readonly string[]): string;
  /** What must be in `Authorization`; null takes anybody. */
  authorization: string | null;
  /** Called before each answer: may answer in its place. */
  before: (request: Request) => Response | null | Promise<Response | null>;
  readonly requests: string[];
  readonly folder: string;
  stop(): Promise<void>;
}

export function startGitServer(authority: CertificateAuthority, host = "git.test"): GitServer {
  const folder = mkdtempSync(join(tmpdir(), "troupe-git-"));
  const certificate = authority.issue([host, "other.test"]);
  const requests: string[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    tls: { cert: certificate.cert, key: certificate.key },
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      requests.push(`${request.method} ${request.headers.get("host")?.split(":")[0]}${pathname}`);
      const instead = await made.before(request);
      if (instead !== null) return instead;
      if (made.authorization !== null && request.headers.get("authorization") !== made.authorization)
        return new Response("who are you?", { status: 401, headers: { "www-authenticate": "Basic" } });
      const [, name = "", path = ""] = /^\/([\w-]+)\.git(\/.*)$/.exec(pathname) ?? [];
      const upload = ["git", "upload-pack", "--stateless-rpc"];
      const env = { PATH: "/usr/local/bin:/usr/bin:/bin", GIT_PROTOCOL: request.headers.get("git-protocol") ?? "" };
      const at = join(folder, name, ".git");
      if (path === "/info/refs" && search === "?service=git-upload-pack") {
        const child = Bun.spawn([...upload, "--advertise-refs", at], { env, stdin: "ignore", stderr: "ignore" });
        const refs = await child.stdout.bytes();
        if ((await child.exited) !== 0) return new Response(null, { status: 404 });
        return new Response(Buffer.concat([Buffer.from("001e# service=git-upload-pack\n0000"), refs]), {
          headers: { "content-type": "application/x-git-upload-pack-advertisement" },
        });
      }
      if (path === "/git-upload-pack") {
        const bytes = new Uint8Array(await request.arrayBuffer());
        const body = request.headers.get("content-encoding") === "gzip" ? Bun.gunzipSync(bytes) : bytes;
        const child = Bun.spawn([...upload, at], { env, stdin: body, stderr: "ignore" });
        return new Response(child.stdout, { headers: { "content-type": "application/x-git-upload-pack-result" } });
      }
      return new Response(null, { status: 404 });
    },
  });
  const git = (name: string, ...args: readonly string[]): string => {
    const at = join(folder, name);
    const env = { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: folder, GIT_CONFIG_NOSYSTEM: "1" };
    const identity = ["-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "protocol.file.allow=always"];
    const { exitCode, stdout, stderr } = Bun.spawnSync(["git", ...identity, ...args], { cwd: at, env });
    if (exitCode !== 0) throw new Error(`git ${args.join(" ")}: ${stderr.toString()}`);
    return stdout.toString().trim();
  };
  const made: GitServer = {
    url: (name) => `https://${host}:${server.port}/${name}.git`,
    authorization: null,
    before: () => null,
    requests,
    folder,
    git,
    commit(name, files, branch = "main") {
      const at = join(folder, name);
      mkdirSync(at, { recursive: true });
      git(name, "init", "-q", "-b", branch);
      for (const [path, content] of Object.entries(files)) {
        mkdirSync(dirname(join(at, path)), { recursive: true });
        rmSync(join(at, path), { recursive: true, force: true });
        if (content !== null) writeFileSync(join(at, path), content);
      }
      git(name, "add", "-A");
      git(name, "commit", "-q", "--allow-empty", "-m", "A commit");
      return git(name, "rev-parse", "HEAD");
    },
    async stop() {
      await server.stop(true);
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return made;
}
