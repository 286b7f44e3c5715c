/**
 * A peer from the npm registry: installed into a temporary folder, run by Node in its own process group, because some
 * peers start several processes; it can be killed and restarted at the same address.
 */
import { join } from "node:path";
import { guard, type Lifetime } from "./lifetime.ts";

const INSTALL_LIMIT_MS = 90_000;
const START_LIMIT_MS = 30_000;
const START_TRIES = 5;

/** Installs the packages into the folder; false if that fails. */
export async function installPeer(folder: string, packages: readonly string[]): Promise<boolean> {
  const [npm, node] = [Bun.which("npm"), Bun.which("node")];
  if (npm === null || node === null) return false;
  await Bun.write(join(folder, "package.json"), '{"private": true, "type": "module"}');
  const install = Bun.spawn({
    cmd: [npm, "install", "--legacy-peer-deps", "--no-audit", "--no-fund", ...packages],
    cwd: folder,
    stdio: ["ignore", "ignore", "ignore"],
    timeout: INSTALL_LIMIT_MS,
  });
  return (await install.exited) === 0;
}

export interface NpmPeer {
  readonly cmd: readonly string[];
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
  /** A URL that answers, with any status below 500, once the peer serves; null: nothing of it can be asked by HTTP/1.1. */
  readonly probe: string | null;
}

export class PeerProcess {
  private readonly peer: NpmPeer;
  private child: Bun.Subprocess | null = null;
  private release = (): void => {};

  private constructor(peer: NpmPeer) {
    this.peer = peer;
  }

  /** Starts the peer; resolves when it serves, or with null if it does not. It ends with the lifetime. */
  static async start(lifetime: Lifetime, peer: NpmPeer): Promise<PeerProcess | null> {
    const running = new PeerProcess(peer);
    lifetime.add(() => running.kill());
    return (await running.begin()) ? running : null;
  }

  /** The process that was started; 0 after its end. */
  get pid(): number {
    return this.child?.pid ?? 0;
  }

  /** Kills all its processes and restarts it; resolves when it serves. */
  async crash(): Promise<void> {
    // Its own children may outlive it for a moment, with their ports and their locks.
    for (let tried = 0; tried < START_TRIES; tried++) {
      await this.kill();
      if (await this.begin()) return;
      await Bun.sleep(200);
    }
    throw new Error(`${this.peer.cmd[0]} does not come back`);
  }

  private async begin(): Promise<boolean> {
    const { cmd, folder, env, probe } = this.peer;
    const child = Bun.spawn({
      cmd: [...cmd],
      cwd: folder,
      stdio: ["ignore", "ignore", "ignore"],
      env: { PATH: process.env["PATH"] ?? "", HOME: folder, ...env },
      detached: true,
    });
    this.child = child;
    this.release = guard(child.pid);
    if (probe === null) return true;
    for (const until = performance.now() + START_LIMIT_MS; performance.now() < until; await Bun.sleep(50)) {
      if (((await fetch(probe).catch(() => null))?.status ?? 500) < 500) return true;
      if (child.exitCode !== null) break;
    }
    return false;
  }

  private async kill(): Promise<void> {
    if (this.child === null) return;
    try {
      process.kill(-this.child.pid, "SIGKILL");
    } catch {
      // It has already ended.
    }
    await this.child.exited;
    this.release();
    this.child = null;
  }
}
