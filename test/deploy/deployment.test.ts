/** The files that people deploy with agree with the repository and with each other. What they start is in the long tests. */
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { programOf } from "../../deploy/release/imports.ts";
import { modelErrors } from "../../src/service/model-choice.ts";
import { readConfig } from "../../src/settings/config.ts";
import { copyOf, instructionsOf } from "../support/dockerfile.ts";
import { CLONE } from "../support/service-process.ts";

const read = (path: string): string => readFileSync(join(CLONE, path), "utf8");
const instructions = instructionsOf(read("deploy/Dockerfile"));
const wordsOf = (name: string): string[] =>
  instructions.filter((instruction) => instruction.name === name).map(({ words }) => words);
/** Of the page of settings, which a test holds against the settings themselves. */
const SETTINGS = new Set(
  [...read("docs/settings.md").matchAll(/^\| (`[A-Z][^|]*`) \|/gm)].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name),
  ),
).add("BUN_CONFIG_MAX_HTTP_REQUESTS");

describe("the image", () => {
  const copies = instructions.filter(({ name }) => name === "COPY").map(copyOf);
  const fromContext = copies.filter(({ from }) => from === null).flatMap(({ sources }) => sources);

  test("[SHIP-3] what the Dockerfile copies is in the repository, and is sent to the builder", () => {
    expect(fromContext.length).toBeGreaterThan(10);
    expect(fromContext.filter((path) => !existsSync(join(CLONE, path)))).toEqual([]);
    const sent = read("deploy/Dockerfile.dockerignore")
      .split("\n")
      .filter((line) => line.startsWith("!"))
      .map((line) => line.slice(1));
    expect(fromContext.filter((path) => !sent.includes(path.split("/")[0] ?? ""))).toEqual([]);
    expect(sent.filter((path) => !fromContext.some((source) => source.split("/")[0] === path))).toEqual([]);
  });

  test("[SHIP-3] every file that the service imports is copied", () => {
    const { files } = programOf("src/main.ts");
    expect(files.length).toBeGreaterThan(400);
    const isCopied = (file: string): boolean =>
      fromContext.some((path) => file === path || file.startsWith(`${path}/`));
    expect([...files, ...programOf("src/admin/main.ts").files].filter((file) => !isCopied(file))).toEqual([]);
  });

  test("[SHIP-3] it runs as a numbered user, installs nothing at its start, and takes the Bun of package.json", () => {
    expect(wordsOf("USER").at(-1)).toMatch(/^[1-9]\d+:[1-9]\d+$/);
    const [entrypoint = ""] = wordsOf("ENTRYPOINT");
    expect(JSON.parse(entrypoint)).toEqual(["troupe"]);
    const [command] = copies.filter(({ to }) => to === "/usr/local/bin/troupe").flatMap(({ sources }) => sources);
    expect(statSync(join(CLONE, command!)).mode & 0o111).toBe(0o111);
    expect(wordsOf("FROM").map((words) => /:(\d+\.\d+\.\d+)/.exec(words)?.[1])).toEqual(
      Array(2).fill(manifest.packageManager.replace("bun@", "")),
    );
    const given = [
      ...wordsOf("ENV")
        .join(" ")
        .matchAll(/(\w+)=/g),
    ].map(([, name]) => name);
    expect(given.filter((name) => name !== "HOME" && !SETTINGS.has(name ?? ""))).toEqual([]);
    expect(wordsOf("HEALTHCHECK")[0]).toContain("/healthz");
  });
});

interface Container {
  readonly [key: string]: unknown;
  readonly env: readonly { readonly name: string; readonly value: string }[];
}

describe("manifests", () => {
  const [, numbers = "", group = ""] = /^(\d+):(\d+)$/.exec(wordsOf("USER").at(-1) ?? "") ?? [];

  test("[SHIP-3] compose starts the image without rights that it does not need", () => {
    const { services, volumes } = Bun.YAML.parse(read("deploy/compose.yaml")) as {
      services: { troupe: Record<string, unknown> };
      volumes: object;
    };
    const { build, environment, ...rest } = services.troupe as {
      build: { context: string; dockerfile: string };
      environment: Record<string, string>;
    };
    expect(existsSync(join(CLONE, "deploy", build.context, build.dockerfile))).toBe(true);
    expect(rest).toMatchObject({
      read_only: true,
      cap_drop: ["ALL"],
      security_opt: ["no-new-privileges:true"],
      volumes: ["data:/data"],
    });
    expect(Object.keys(volumes)).toEqual(["data"]);
    expect(Object.keys(environment).filter((name) => !SETTINGS.has(name))).toEqual([]);
  });

  test("[SHIP-3] compose takes the model of the key that is given, and starts again what has ended", () => {
    for (const file of ["compose.yaml", "compose.replicas.yaml"]) {
      const { services } = Bun.YAML.parse(read(`deploy/${file}`)) as {
        services: { troupe: { environment: Record<string, string>; restart: string } };
      };
      const { environment, restart } = services.troupe;
      expect(restart).toBe("unless-stopped");
      // As compose fills it in where the operator has set a key and nothing else.
      const given: Record<string, string> = { ANTHROPIC_API_KEY: "sk-ant-x", NODE_ENV: "production" };
      const filled = Object.fromEntries(
        Object.entries(environment).map(([name, value]) => [
          name,
          String(value).replaceAll(
            /\$\{(\w+)(?::-([^}]*))?(?::\?)?\}/g,
            (_, key: string, fallback = "") => given[key] ?? fallback,
          ),
        ]),
      );
      for (const name of ["OPENAI_API_KEY", "OPENAI_BASE_URL"]) expect(filled[name]).toBe("");
      const secret =
        filled["TROUPE_SECRET"] === undefined ? {} : { TROUPE_SECRET: Buffer.alloc(32, 1).toString("base64") };
      const settings = readConfig({ ...filled, ...secret, NODE_ENV: "production" }, [modelErrors]);
      expect(settings).toMatchObject({ ok: true, config: { anthropicApiKey: "sk-ant-x" } });
      expect(settings.ok && settings.config.model).toBeUndefined();
    }
  });

  test("[SHIP-3] Kubernetes asks the right addresses, and runs the image as it is built", () => {
    const [service, set] = Bun.YAML.parse(read("deploy/kubernetes.yaml")) as unknown as [
      { spec: { ports: readonly { targetPort: string }[] } },
      {
        spec: {
          template: {
            spec: { securityContext: object; containers: [Container]; terminationGracePeriodSeconds: number };
          };
          volumeClaimTemplates: readonly { metadata: { name: string } }[];
        };
      },
    ];
    const { securityContext, containers, terminationGracePeriodSeconds } = set.spec.template.spec;
    expect(securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: Number(numbers),
      runAsGroup: Number(group),
    });
    const [{ env, ...container }] = containers;
    expect(container).toMatchObject({
      image: `troupe:${manifest.version}`,
      ports: [{ name: "http", containerPort: 3000 }, { name: "metrics" }],
      startupProbe: { httpGet: { path: "/healthz", port: "http" } },
      livenessProbe: { httpGet: { path: "/healthz", port: "http" } },
      readinessProbe: { httpGet: { path: "/readyz", port: "http" } },
      securityContext: {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ["ALL"] },
      },
    });
    expect(terminationGracePeriodSeconds).toBeGreaterThan(20);
    expect(service.spec.ports[0]?.targetPort).toBe("http");
    expect(set.spec.volumeClaimTemplates[0]?.metadata.name).toBe("data");
    expect(env.map(({ name }) => name).filter((name) => !SETTINGS.has(name))).toEqual([]);
  });

  test("[SHIP-3] [REP-7] compose with several replicas starts the same image, with what they have to share", () => {
    type Services = Readonly<Record<"troupe" | "postgres" | "nginx", Record<string, unknown>>>;
    const of = (file: string) => Bun.YAML.parse(read(`deploy/${file}`)) as { services: Services; volumes: object };
    const { services, volumes } = of("compose.replicas.yaml");
    const alone = of("compose.yaml").services.troupe;
    const same = ["build", "image", "init", "read_only", "cap_drop", "security_opt", "stop_grace_period", "restart"];
    for (const key of [...same, "ulimits", "mem_limit"]) expect(services.troupe[key]).toEqual(alone[key]);
    const environment = services.troupe["environment"] as Record<string, string>;
    expect(Object.keys(environment).filter((name) => !SETTINGS.has(name))).toEqual([]);
    expect(environment).toMatchObject({ REPLICA_URL: "auto", DATA_DIR: "/state", FILES_DIR: "/data/files" });
    expect(environment["TROUPE_SECRET"]).toBe("$" + "{TROUPE_SECRET:?}");
    expect(services.troupe["tmpfs"]).toContain(`/state:uid=${numbers},gid=${group},mode=0700`);
    expect(services.troupe["scale"]).toBeGreaterThan(1);
    expect(Object.keys(volumes)).toEqual(["database", "files"]);
  });

  test("[SHIP-3] [REP-7] Kubernetes with several replicas runs them as one alone, and lets no other pod ask as one of them", () => {
    interface Manifest {
      readonly kind: string;
      readonly spec: {
        readonly replicas: number;
        readonly ingress: readonly { readonly from?: unknown; readonly ports: readonly { readonly port: string }[] }[];
        readonly template: { readonly spec: { readonly containers: readonly [Container] } & Record<string, unknown> };
      };
    }
    const of = (file: string) => Bun.YAML.parse(read(`deploy/${file}`)) as readonly Manifest[];
    const find = (file: string, kind: string) => of(file).find((manifest) => manifest.kind === kind)!.spec;
    const deployment = find("kubernetes.replicas.yaml", "Deployment");
    const { containers, ...pod } = deployment.template.spec;
    const { containers: aloneOnes, ...alone } = find("kubernetes.yaml", "StatefulSet").template.spec;
    expect(deployment.replicas).toBeGreaterThan(1);
    for (const key of ["securityContext", "terminationGracePeriodSeconds", "automountServiceAccountToken"])
      expect(pod[key]).toEqual(alone[key]);
    const [container] = containers;
    for (const key of ["image", "startupProbe", "livenessProbe", "securityContext", "resources"])
      expect(container[key]).toEqual(aloneOnes[0][key]);
    const values = new Map(container.env.map(({ name, value }) => [name, value]));
    expect([...values.keys()].filter((name) => !SETTINGS.has(name))).toEqual(["POD_IP"]);
    const replicas = (container["ports"] as { name: string; containerPort: number }[]).find(
      ({ name }) => name === "replicas",
    )!;
    expect(values.get("REPLICA_URL")).toBe(`http://$(POD_IP):${replicas.containerPort}`);
    const { ingress } = find("kubernetes.replicas.yaml", "NetworkPolicy");
    const open = ingress.filter(({ from }) => from === undefined).flatMap(({ ports }) => ports);
    expect(open.map(({ port }) => port)).toEqual(["http", "metrics"]);
  });

  test("[SHIP-3] the unit starts the executable of a release and restarts it as its exit codes mean", () => {
    const unit = read("deploy/troupe.service");
    expect(unit).toMatch(/^ExecStart=\/opt\/troupe\/troupe$/m);
    expect(unit).toMatch(/^RestartPreventExitStatus=78$/m);
    expect(unit).toMatch(/^KillMode=mixed$/m);
    const [, environment = ""] = /^Environment=(.*)$/m.exec(unit) ?? [];
    const given = [...environment.matchAll(/(\w+)=/g)].map(([, name = ""]) => name);
    expect(given.filter((name) => !SETTINGS.has(name))).toEqual([]);
  });
});
