/** What is open for long: streams, and requests that wait for a job. The composition root ends them all. */
export interface OpenStream {
  /** Ends it in good order, soon. Must not throw. */
  shutDown(): void;
}

export class OpenStreams {
  private readonly open = new Set<OpenStream>();
  private isClosed = false;

  get count(): number {
    return this.open.size;
  }

  /** Keeps it until `remove`; after `closeAll` it is ended at once. */
  add(stream: OpenStream): void {
    this.open.add(stream);
    if (this.isClosed) stream.shutDown();
  }

  remove(stream: OpenStream): void {
    this.open.delete(stream);
  }

  /** Ends what is open and whatever comes later: the service shuts down. */
  closeAll(): void {
    this.isClosed = true;
    for (const stream of [...this.open]) stream.shutDown();
  }
}
