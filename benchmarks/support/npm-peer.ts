/**
 * A peer from the npm registry: installed into a temporary folder, run by Node in a group of its own,
 * because some of them start several processes, and killed and started again at the same address.
 */
import { join } from "node:path";
import { guard, type Lifetime } from "./lifetime.ts";

const INSTALL_LIMIT_MS = 90_000;
const START_LIMIT_MS = 30_000;

/** Whether all of them are in the folder now. */
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
  /** Answers, whatever it says, when it serves. */
  readonly probe: string;
}

export class PeerProcess {
  private readonly peer: NpmPeer;
  private child: Bun.Subprocess | null = null;
  private release = (): void => {};

  private constructor(peer: NpmPeer) {
    this.peer = peer;
  }

  /** Serves when this resolves; null where it does not. It ends with the lifetime. */
  static async start(lifetime: Lifetime, peer: NpmPeer): Promise<PeerProcess | null> {
    const running = new PeerProcess(peer);
    lifetime.add(() => running.kill());
    return (await running.begin()) ? running : null;
  }

  /** Kills all of it, and starts it again; serves when this resolves. */
  async crash(): Promise<void> {
    await this.kill();
    if (!(await this.begin())) throw new Error(`${this.peer.cmd[0]} does not come back`);
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
      // It is gone already.
    }
    await this.child.exited;
    this.release();
    this.child = null;
  }
}
