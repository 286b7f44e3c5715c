/** The contract as anybody reads it. */
import { expect, test } from "bun:test";
import { serviceOfFile } from "../support/scene.ts";

const COMMITTED = new URL("../../docs/openapi.json", import.meta.url);

const service = serviceOfFile();

test("[DOC-1] what is served are the bytes that are committed, to anybody, with rate headers and version", async () => {
  const response = await fetch(`${service.url}/api/openapi.json`);
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("application/json");
  expect(response.headers.get("api-version")).toBe("2026-11-01");
  expect(response.headers.get("x-ratelimit-limit")).toBe("3000");
  expect(response.headers.get("x-request-id")).toMatch(/^[A-Za-z0-9_-]{8,128}$/);
  expect(Buffer.from(await response.bytes()).equals(Buffer.from(await Bun.file(COMMITTED).bytes()))).toBe(true);
});

test("[DOC-1] the document of a single surface has what the surface refers to, and nothing else", async () => {
  type Document = Readonly<Record<"paths" | "components", Record<string, Record<string, unknown>>>>;
  const get = async (query: string) =>
    (await (await fetch(`${service.url}/api/openapi.json${query}`)).json()) as Document;
  const [whole, v1, current] = [await get(""), await get("?surface=v1"), await get("?surface=current")];
  expect(Object.keys({ ...v1.paths, ...current.paths }).toSorted()).toEqual(Object.keys(whole.paths).toSorted());
  expect(Object.keys(v1.paths).every((path) => path.startsWith("/api/v1/"))).toBe(true);
  expect(Object.keys(current.paths).some((path) => path.startsWith("/api/v1/"))).toBe(false);
  for (const part of [v1, current]) {
    const refs = new Set(
      [...JSON.stringify(part).matchAll(/"\$ref":"#\/components\/(\w+)\/([^"]+)"/g)].map((m) => `${m[1]}/${m[2]}`),
    );
    const there = Object.entries(part.components).flatMap(([section, entries]) =>
      section === "securitySchemes" ? [] : Object.keys(entries).map((name) => `${section}/${name}`),
    );
    expect(there.toSorted()).toEqual([...refs].toSorted());
  }
  expect((await fetch(`${service.url}/api/openapi.json?surface=v2`)).status).toBe(400);
});

test("[DOC-5] the document knows each way to sign in, and which operations take it", async () => {
  interface Secured {
    readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  }
  const { paths, components } = (await Bun.file(new URL("../../docs/openapi.json", import.meta.url)).json()) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Secured>>>>;
    readonly components: {
      readonly securitySchemes: Readonly<
        Record<string, { readonly type: string; readonly in?: string; readonly flows?: object }>
      >;
    };
  };
  const { oauth, session } = components.securitySchemes;
  expect(oauth).toMatchObject({
    type: "oauth2",
    flows: { authorizationCode: { authorizationUrl: "/oauth/authorize", tokenUrl: "/oauth/token" } },
  });
  expect(session).toMatchObject({ type: "apiKey", in: "cookie" });
  const schemesOf = (path: string, method = "get"): readonly string[] => [
    ...new Set(paths[path]?.[method]?.security.flatMap((one) => Object.keys(one))),
  ];
  expect(schemesOf("/api/agents")).toEqual(["serviceToken", "personalAccessToken", "oauth", "session"]);
  expect(schemesOf("/api/v1/agents")).toEqual(["personalAccessToken", "serviceToken"]);
  expect(schemesOf("/mcp", "post")).toEqual(["serviceToken", "personalAccessToken", "oauth"]);
  // Nobody can grant `*` to a program.
  expect(schemesOf("/api/invitations", "post")).not.toContain("oauth");
  expect(schemesOf("/api/version")).toEqual([]);
});
