/** The whole app keeps what its groups of operations keep: a read from memory is answered without a promise. */
import { afterAll, beforeAll, spyOn, test } from "bun:test";
import { until } from "../support/condition.ts";
import { answered } from "../support/current.ts";
import { type Service, startService } from "../support/service.ts";

type Route = (request: Request) => Response | Promise<Response>;
type Routes = Readonly<Record<string, Readonly<Record<string, Route>>>>;

/** The service, and what it has given to Bun's router. */
async function start(appsUrl?: string): Promise<{ readonly service: Service; readonly routes: Routes }> {
  const serve = spyOn(Bun, "serve");
  const service = await startService({ settings: { appsUrl } });
  const routes = serve.mock.calls.map(([given]) => (given as { readonly routes?: Routes }).routes ?? {});
  serve.mockRestore();
  return { service, routes: routes.find((each) => "/api/v1/agents/:id" in each) ?? {} };
}

let started: Awaited<ReturnType<typeof start>>[];
beforeAll(async () => void (started = [await start(), await start("https://*.apps.test")]));
afterAll(() => Promise.all(started.map(({ service }) => service.stop())));

test("[GEN-17] no hook of the app makes a read from memory wait, with hosts for apps or without them", async () => {
  for (const { service, routes } of started) {
    const owner = await service.found();
    const headers = { authorization: `Bearer ${owner.token}` };
    const body = { name: "Ada", system_prompt: "Be brief." };
    const { id } = await answered<{ id: string }>(service.call(owner, "POST", "/api/agents", body), 201);
    for (const path of ["/api/v1/agents/:id", "/api/agents/:id"]) {
      const request = () =>
        Object.assign(new Request(service.url + path.replace(":id", id), { headers }), { params: { id } });
      await until(`${path} is answered at once`, () => routes[path]?.["GET"]?.(request()) instanceof Response);
    }
  }
});
