/** The guarded client over a small internet on loopback: its names, its authority, its servers. */
import { createEgress, type Egress, type EgressRequest, type EgressSettings } from "../../src/egress/egress.ts";
import { type CertificateAuthority, createAuthority } from "./certificates.ts";
import { type Answer, startWireServer, type WireServer, type WireServerOptions } from "./wire-server.ts";

export interface EgressWorld {
  readonly authority: CertificateAuthority;
  /** Names that were asked for, in order. */
  readonly asked: string[];
  /** A client that trusts the authority and may reach 127.0.0.1, unless `settings` says otherwise. */
  client(settings?: Partial<EgressSettings>): Egress;
  /** A server over TLS for `a.test` and 127.0.0.1, unless `options` says otherwise. */
  serve(answer: Answer, options?: WireServerOptions): Promise<WireServer>;
  /** Without TLS. */
  servePlain(answer: Answer, host?: string): Promise<WireServer>;
  /** Stops what was started. */
  end(): Promise<void>;
}

/** `names`: where each name leads; others lead to 127.0.0.1 when they end in `.test`. */
export function createEgressWorld(names: Readonly<Record<string, readonly string[]>> = {}): EgressWorld {
  const authority = createAuthority();
  const asked: string[] = [];
  const started: { stop(): Promise<void> }[] = [];
  const start = async (answer: Answer, options: WireServerOptions): Promise<WireServer> => {
    const server = await startWireServer(answer, options);
    started.push(server);
    return server;
  };
  const certificate = authority.issue(["a.test", "127.0.0.1"]);
  const resolve = async (host: string): Promise<readonly string[]> => {
    asked.push(host);
    const addresses = names[host] ?? (host.endsWith(".test") ? ["127.0.0.1"] : []);
    if (addresses.length === 0) throw new Error("no such name");
    return addresses;
  };
  return {
    authority,
    asked,
    client(settings = {}) {
      const egress = createEgress({
        allow: ["127.0.0.1"],
        production: false,
        resolve,
        ca: authority.cert,
        ...settings,
      });
      started.push({ stop: async () => egress.close() });
      return egress;
    },
    serve: (answer, options = {}) => start(answer, { certificates: { "": certificate }, ...options }),
    servePlain: (answer, host = "127.0.0.1") => start(answer, { host }),
    async end() {
      for (const thing of started.splice(0).reverse()) await thing.stop();
    },
  };
}

/** A GET within small limits. */
export const get = (url: string, more: Partial<Omit<EgressRequest, "url">> = {}): EgressRequest => ({
  url,
  method: "GET",
  limits: { timeoutMs: 60_000, maxResponseBytes: 64 * 1024 },
  ...more,
});
