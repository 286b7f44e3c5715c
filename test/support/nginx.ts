/** nginx with a site of the documents, before a service of a test. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Certificate } from "./certificates.ts";
import { until } from "./condition.ts";

/** The program; null where there is none, and its tests skip. */
export const NGINX = Bun.which("nginx") ?? Bun.which("nginx", { PATH: "/usr/sbin:/usr/local/sbin" });

export interface Site {
  /** A file of `docs/`. */
  readonly file: string;
  /** Where it listens. */
  readonly port: number;
  /** Where the service listens. */
  readonly service: string;
  /** Without one it speaks plain HTTP. */
  readonly certificate?: Certificate;
}

export interface Nginx {
  stop(): Promise<void>;
}

/** The site as it is in the documents, but for its addresses and its certificate; `at` is a folder of its own. */
function configured({ file, port, service, certificate }: Site, number: number, at: string): string {
  const text = readFileSync(new URL(`../../docs/${file}`, import.meta.url), "utf8")
    .replace("listen 443 ssl;", `listen 127.0.0.1:${port}${certificate === undefined ? "" : " ssl"};`)
    .replace("127.0.0.1:3000", new URL(service).host)
    // Each site of the documents has one upstream of this name.
    .replaceAll(/(upstream |http:\/\/)troupe\b/g, `$1troupe_${number}`);
  if (certificate === undefined) return text.replace(/^ *ssl_certificate.*\n/gm, "");
  const [cert, key] = [join(at, `${number}.crt`), join(at, `${number}.key`)];
  writeFileSync(cert, certificate.cert);
  writeFileSync(key, certificate.key, { mode: 0o600 });
  return text
    .replace(/ssl_certificate \S+;/, `ssl_certificate ${cert};`)
    .replace(/ssl_certificate_key \S+;/, `ssl_certificate_key ${key};`);
}

/** Starts nginx with these sites and nothing else; resolves when all of them answer. */
export async function startNginx(sites: readonly Site[]): Promise<Nginx> {
  if (NGINX === null) throw new Error("there is no nginx here");
  const folder = mkdtempSync(join(tmpdir(), "troupe-nginx-"));
  // Started by root, its workers are somebody else.
  chmodSync(folder, 0o755);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${join(folder, name)};`)
    .join("\n");
  const servers = sites.map((site, number) => configured(site, number, folder)).join("\n");
  writeFileSync(
    join(folder, "nginx.conf"),
    `daemon off; pid ${join(folder, "pid")}; events {}\nhttp { access_log off; ${temporary}\n${servers} }\n`,
  );
  const cmd = [NGINX, "-p", folder, "-c", join(folder, "nginx.conf"), "-e", join(folder, "error.log")];
  const child = Bun.spawn(cmd, { stdout: "ignore", stderr: "ignore" });
  for (const { port, certificate } of sites) {
    const url = `${certificate === undefined ? "http" : "https"}://127.0.0.1:${port}/healthz`;
    const answers = () =>
      fetch(url, { tls: { rejectUnauthorized: false } }).then(
        () => true,
        () => false,
      );
    await until("nginx serves", answers);
  }
  return {
    async stop() {
      child.kill();
      await child.exited;
      rmSync(folder, { recursive: true });
    },
  };
}
