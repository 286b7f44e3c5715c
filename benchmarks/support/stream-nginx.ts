/** nginx in front of the provider, without buffering: the cost of a relay in C. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Lifetime } from "./lifetime.ts";
import { freePort } from "../../test/support/free-port.ts";

const START_LIMIT_MS = 5_000;

/** Null if nginx is not installed. */
export async function startNginxRelay(
  lifetime: Lifetime,
  providerPort: number,
): Promise<{ readonly port: number; readonly pid: number } | null> {
  const nginx = Bun.which("nginx") ?? Bun.which("nginx", { PATH: "/usr/sbin" });
  if (nginx === null) return null;
  const folder = lifetime.folder({ isOpen: true });
  const port = freePort();
  writeFileSync(
    join(folder, "nginx.conf"),
    `daemon off; master_process off; worker_processes 1; pid ${folder}/pid; error_log /dev/null;
events { worker_connections 8192; }
http {
  access_log off; keepalive_requests 1000000; client_body_temp_path ${folder};
  upstream provider { server 127.0.0.1:${providerPort}; keepalive 1024; }
  server {
    listen 127.0.0.1:${port} backlog=4096;
    location / {
      proxy_pass http://provider; proxy_http_version 1.1; proxy_set_header Connection "";
      proxy_buffering off; proxy_read_timeout 600s;
    }
  }
}`,
  );
  const pid = lifetime.spawn([nginx, "-p", folder, "-c", join(folder, "nginx.conf")]);
  const until = performance.now() + START_LIMIT_MS;
  while (!(await answers(port))) {
    if (performance.now() > until) throw new Error("nginx does not start");
    await Bun.sleep(20);
  }
  return { port, pid };
}

async function answers(port: number): Promise<boolean> {
  try {
    const socket = await Bun.connect({ hostname: "127.0.0.1", port, socket: { data: () => {} } });
    socket.end();
    return true;
  } catch {
    return false;
  }
}
