/** ACP's WebSocket behind nginx as the documents set it up: on a host of its own, and below a path (DIA-23). */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { AcpEditor, acpSocket } from "../support/acp-editor.ts";
import { freePort } from "../support/free-port.ts";
import { type Nginx, NGINX, startNginx } from "../support/nginx.ts";
import { type Founded, type Service, startService } from "../support/service.ts";

const SITES = [
  { file: "nginx.conf", prefix: "", port: freePort() },
  { file: "nginx-prefix.conf", prefix: "/troupe", port: freePort() },
] as const;
let service: Service;
let owner: Founded;
let nginx: Nginx | undefined;
beforeAll(async () => {
  if (NGINX === null) return;
  service = await startService();
  owner = await service.found();
  await service.call(owner, "POST", "/api/agents", { name: "Ada", system_prompt: "Be brief." });
  nginx = await startNginx(SITES.map(({ file, port }) => ({ file, port, service: service.url })));
});
afterAll(async () => {
  await nginx?.stop();
  await service?.stop();
});

test.skipIf(NGINX === null).each(SITES)("[DIA-23] an editor reaches its agent through nginx: $file", async (site) => {
  service.model.script = () => [{ say: "Hello" }];
  const url = `http://127.0.0.1:${site.port}${site.prefix}`;
  const editor = await AcpEditor.over(acpSocket({ url, token: owner.token, agent: "Ada" }));
  expect(await editor.prompt(await editor.open(), "hi")).toMatchObject({ stopReason: "end_turn" });
  expect(editor.messages()).toEqual(["Hello"]);
  editor.close();
});
