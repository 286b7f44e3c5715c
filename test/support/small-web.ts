/** A web server on this machine whose one page the test decides: what addresses in messages lead to. */
export class SmallWeb {
  /** The paths that it was asked for. */
  readonly asked: string[] = [];
  page: (request: Request) => Response | Promise<Response>;
  private readonly server: Bun.Server<undefined>;

  constructor(page: SmallWeb["page"]) {
    this.page = page;
    this.server = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: (request) => {
        this.asked.push(new URL(request.url).pathname);
        return this.page(request);
      },
    });
  }

  /** The address of the path. */
  at(path: string): string {
    return `http://127.0.0.1:${this.server.port}${path}`;
  }

  stop(): Promise<void> {
    return this.server.stop(true);
  }
}
