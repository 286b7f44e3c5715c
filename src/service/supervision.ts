/**
 * A process of `bun start --replicas N`, as itself sees it. Its supervisor tells it in one message what it is to be,
 * over a channel that nobody else reads: keys in an environment or in arguments could be read by others.
 *
 *   supervisor ──order──▶ replica ──serving──▶ supervisor
 *       └──"end", or its own death──▶ the replica drains
 */

/** What a replica is to be. */
export interface ReplicaOrder {
  /** From 1; its logs are marked with it. */
  readonly number: number;
  /** Settings that replace those of the environment. */
  readonly settings: Readonly<Record<string, string>>;
  /** The data folder of the service: the replica has one of its own below it. */
  readonly dataDir: string;
  /** Whether the supervisor has started the database, below its data folder. */
  readonly isEmbedded: boolean;
  /** Of the administration command, the same for all: any of them may get its request. */
  readonly adminKey: string;
  /** Whether it tells the person at the terminal. */
  readonly greets: boolean;
}

/** What the supervisor sends. */
export type SupervisorWord = { readonly kind: "order"; readonly order: ReplicaOrder } | { readonly kind: "end" };
/** What a replica answers when it serves. */
export const SERVING = "serving";
/** The argument that makes a process a replica. */
export const SUPERVISED = "--supervised";

export interface Supervision {
  readonly order: ReplicaOrder;
  /** Whether all end, and not this process alone. */
  isEnding(): boolean;
  /** Calls back once when all end, also where the supervisor has been killed. */
  onEnd(end: (reason: string) => void): void;
  /** The replica serves. */
  serving(): void;
}

/** Waits for the order; null where this process has no supervisor that could give one. */
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
      serving: () => void channel.send?.(SERVING),
    });
  });
  return ordered.promise;
}
