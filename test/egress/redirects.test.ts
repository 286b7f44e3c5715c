/** Redirects: nobody follows one unless asked to, and then each hop is checked as the first was. */
import { afterEach, expect, test } from "bun:test";
import type { EgressMethod } from "../../src/egress/exchange.ts";
import { egressFailed } from "../../src/egress/failure.ts";
import { createEgressWorld, type EgressWorld, get } from "../support/egress-world.ts";
import { reply, type WireServer } from "../support/wire-server.ts";

let world: EgressWorld;
afterEach(() => world.end());

/** `/302/<location>` redirects there with that status; everything else is "here". */
async function redirecting() {
  world = createEgressWorld({ "metadata.test": ["169.254.169.254"], "inner.test": ["10.0.0.1"] });
  const certificates = { "": world.authority.issue(["a.test", "b.test"]) };
  const server = await world.serve(
    ({ line, socket }) => {
      const [, status, location] = /^\S+ \/(3\d\d)\/(\S*) /.exec(line) ?? [];
      if (status === undefined) socket.write(reply(200, {}, "here"));
      else
        socket.write(
          reply(Number(status), location === "" ? {} : { location: decodeURIComponent(location ?? "") }, "moved"),
        );
    },
    { certificates },
  );
  return { server, egress: world.client(), origin: `https://a.test:${server.port}` };
}

const following = (
  url: string,
  maxRedirects: number,
  method: EgressMethod = "GET",
  headers: Readonly<Record<string, string>> = {},
) => ({ ...get(url, { method, headers }), limits: { timeoutMs: 60_000, maxResponseBytes: 1_000, maxRedirects } });
const to = (origin: string, location: string, status = 302): string =>
  `${origin}/${status}/${encodeURIComponent(location)}`;
const lines = (server: WireServer): string[] => server.requests.map(({ line }) => line.split(" ")[1] ?? "");

test("[HOOK-11] redirects are not followed by default", async () => {
  const { server, egress, origin } = await redirecting();
  const result = await egress.request(get(to(origin, "https://169.254.169.254/")));
  expect(result).toMatchObject({ kind: "response", status: 302, finalUrl: to(origin, "https://169.254.169.254/") });
  expect(result.kind === "response" && result.headers.get("location")).toBe("https://169.254.169.254/");
  expect(server.requests).toHaveLength(1);
});

for (const [location, error] of [
  ["https://169.254.169.254/latest/meta-data/", "blocked_address"],
  ["http://169.254.169.254/latest/meta-data/", "blocked_address"],
  ["https://0xa9fea9fe/", "blocked_address"],
  ["//[::ffff:169.254.169.254]/", "blocked_address"],
  ["https://metadata.test/", "blocked_address"],
  ["https://inner.test:8443/", "blocked_address"],
  ["https://user:pass@a.test/", "invalid_url"],
  ["https://a.test:0/", "invalid_url"],
  ["ftp://a.test/", "invalid_url"],
  ["file:///etc/passwd", "invalid_url"],
  ["data:text/plain,x", "invalid_url"],
  ["http://[::1", "invalid_url"],
  ["https://nowhere/", "dns_error"],
] as const) {
  test(`[HOOK-11] a redirect to ${location} ends there`, async () => {
    const { server, egress, origin } = await redirecting();
    expect(await egress.request(following(to(origin, location), 5))).toEqual(egressFailed(error));
    expect(server.requests).toHaveLength(1);
  });
}

test("[HOOK-11] each hop resolves its name again", async () => {
  const { server, origin } = await redirecting();
  let count = 0;
  const egress = world.client({ resolve: async () => (count++ === 0 ? ["127.0.0.1"] : ["10.0.0.1"]) });
  expect(await egress.request(following(to(origin, "/next"), 5))).toEqual(egressFailed("blocked_address"));
  expect(count).toBe(2);
  expect(server.requests).toHaveLength(1);
});

test("[RUN-2] up to the limit redirects are followed, relative ones too, and one more is a failure", async () => {
  const { server, egress, origin } = await redirecting();
  const five = [1, 2, 3, 4, 5].reduce((target) => `/302/${encodeURIComponent(target)}`, "/end");
  expect(await egress.request(following(origin + five, 5))).toMatchObject({ status: 200, finalUrl: `${origin}/end` });
  expect(server.requests).toHaveLength(6);
  expect(await egress.request(following(origin + five, 4))).toEqual(egressFailed("too_many_redirects"));
  expect(server.requests).toHaveLength(11);
});

for (const status of [301, 302, 303, 307, 308]) {
  test(`[RUN-2] ${status} is followed only for GET and HEAD`, async () => {
    const { server, egress, origin } = await redirecting();
    for (const method of ["GET", "HEAD"] as const)
      expect(await egress.request(following(to(origin, "/end", status), 1, method))).toMatchObject({ status: 200 });
    for (const method of ["POST", "PUT", "PATCH", "DELETE"] as const)
      expect(await egress.request(following(to(origin, "/end", status), 1, method))).toMatchObject({ status });
    expect(lines(server).filter((path) => path === "/end")).toHaveLength(2);
  });
}

for (const path of ["/300/%2Fend", "/304/%2Fend", "/302/"]) {
  test(`[RUN-2] ${path} is not a redirect`, async () => {
    const { egress, origin } = await redirecting();
    expect(await egress.request(following(origin + path, 5))).toMatchObject({ status: Number(path.slice(1, 4)) });
  });
}

test("[HOOK-11] another origin gets no header that may be a secret", async () => {
  const { server, egress, origin } = await redirecting();
  const headers = { authorization: "Bearer secret", cookie: "secret", "x-api-key": "secret", accept: "text/html" };
  await egress.request(following(to(origin, "/same"), 1, "GET", headers));
  await egress.request(following(to(origin, `https://b.test:${server.port}/other`), 1, "GET", headers));
  expect(server.requests[1]?.headers).toMatchObject(headers);
  const other = server.requests[3]?.headers;
  expect(other).toMatchObject({ host: `b.test:${server.port}`, accept: "text/html", "user-agent": "Troupe" });
  expect(JSON.stringify(other)).not.toContain("secret");
});
