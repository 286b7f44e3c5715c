/**
 * The replica's side of `bun start --replicas N`. Its supervisor sends it one order, over a private channel, because
 * other processes could read keys in the environment or in arguments.
 *
 *   supervisor ──order──▶ replica ──serving──▶ supervisor
 *       └──"end", or its own death──▶ the replica drains
 */

/** The configuration of a replica. */
export interface ReplicaOrder {
  /** From 1; its log lines carry the number. */
  readonly number: number;
  /** Settings that replace those of the environment. */
  readonly settings: Readonly<Record<string, string>>;
  /** The data folder of the service; the replica has its own folder below it. */
  readonly dataDir: string;
  /** Whether the supervisor has started the embedded database, below its data folder. */
  readonly isEmbedded: boolean;
  /** The key of the administration command, the same for all replicas: any of them may get its request. */
  readonly adminKey: string;
  /** Whether this replica greets the person at the terminal. */
  readonly greets: boolean;
}

/** What the supervisor sends. */
export type SupervisorWord = { readonly kind: "order"; readonly order: ReplicaOrder } | { readonly kind: "end" };
/** A replica's message when it serves. */
export const SERVING_MESSAGE = "serving";
/** The argument that makes a process a replica. */
export const SUPERVISED = "--supervised";

export interface Supervision {
  readonly order: ReplicaOrder;
  /** Whether all replicas are ending, not just this one. */
  isEnding(): boolean;
  /** Calls back once when all replicas must end, also if the supervisor was killed. */
  onEnd(end: (reason: string) => void): void;
  /** Reports that the replica serves. */
  serving(): void;
}

/** Waits for the order; null if this process has no supervisor. */
export function superviseBy(channel: NodeJS.Process): Promise<Supervision | null> {
  if (channel.send === undefined) return Promise.resolve(null);
  const ordered = Promise.withResolvers<Supervision | null>();
  let ended: string | null = null;
  let tell = (_reason: string): void => {};
  const end = (reason: string): void => {
    if (ended !== null) return;
    ended = reason;
    ordered.resolve(null);
    tell(reason);
  };
  channel.on("disconnect", () => end("the supervisor has ended"));
  channel.on("message", (message) => {
    const word = message as SupervisorWord;
    if (word.kind === "end") return end("the service ends");
    ordered.resolve({
      order: word.order,
      isEnding: () => ended !== null,
      onEnd: (then) => (ended === null ? void (tell = then) : then(ended)),
      serving: () => void channel.send?.(SERVING_MESSAGE),
    });
  });
  return ordered.promise;
}
