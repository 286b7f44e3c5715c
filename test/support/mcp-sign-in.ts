/** An MCP client's way to its tokens (MCP-2): what both official SDKs ask for, with a person in a browser without scripts. */
import type { OAuthClientProvider } from "@modelcontextprotocol/client";
import type { PlainBrowser } from "./plain-browser.ts";

type Tokens = Awaited<ReturnType<OAuthClientProvider["tokens"]>>;
type Discovered = Awaited<ReturnType<NonNullable<OAuthClientProvider["discoveryState"]>>>;
type Information = Awaited<ReturnType<OAuthClientProvider["clientInformation"]>>;

/** Nothing listens there: the browser's last address is read instead. */
const REDIRECT = "http://127.0.0.1:8977/callback";

export interface Person {
  readonly browser: PlainBrowser;
  readonly email: string;
  readonly password: string;
}

export class McpSignIn implements OAuthClientProvider {
  readonly redirectUrl = REDIRECT;
  readonly clientMetadata = {
    client_name: "A client of MCP",
    redirect_uris: [REDIRECT],
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: "none",
  };
  /** Where the browser has ended; null: nobody was asked yet. */
  back: URL | null = null;
  /** How often a person was asked. */
  asked = 0;
  /** All tokens so far, the newest last. */
  readonly given: NonNullable<Tokens>[] = [];
  private readonly person: Person;
  private information: Information;
  private current: Tokens;
  private discovered: Discovered;
  private verifier = "";
  private readonly sentState = crypto.randomUUID();

  constructor(person: Person) {
    this.person = person;
  }

  state = (): string => this.sentState;
  clientInformation = (): Information => this.information;
  saveClientInformation(information: Information): void {
    this.information = information;
  }
  tokens = (): Tokens => this.current;
  saveTokens(tokens: NonNullable<Tokens>): void {
    this.current = tokens;
    this.given.push(tokens);
  }
  discoveryState = (): Discovered => this.discovered;
  saveDiscoveryState(found: NonNullable<Discovered>): void {
    this.discovered = found;
  }
  invalidateCredentials(): void {
    this.current = undefined;
  }
  saveCodeVerifier(verifier: string): void {
    this.verifier = verifier;
  }
  codeVerifier = (): string => this.verifier;

  /** The person signs in, and lets the client in. */
  async redirectToAuthorization({ pathname, search }: URL): Promise<void> {
    this.asked++;
    const { browser, email, password } = this.person;
    let page = await browser.get(pathname + search);
    if (page.at.startsWith("/sign-in")) page = await browser.submit(page, "/sign-in", { email, password });
    this.back = new URL(await letIn(browser, page));
    if (this.back.searchParams.get("state") !== this.sentState) throw new Error("not the state that was sent");
  }
}

/** Allows all that the page asks for; answers where the browser is sent. */
export async function letIn(browser: PlainBrowser, page: Awaited<ReturnType<PlainBrowser["get"]>>): Promise<string> {
  const scopes = [...page.html.matchAll(/name="grant" value="([^"]+)"/g)].map(([, scope = ""]) => scope);
  return (await browser.submit(page, "/oauth/authorize", { decision: "allow", grant: scopes })).at;
}

/** A way to the service whose connection breaks once it has brought a text. */
export class BreakingFetch {
  /** The text; null: nothing breaks. */
  breakBehind: string | null = null;
  /** Methods of the requests since the connection broke. */
  readonly afterwards: string[] = [];

  readonly fetch = async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    if (this.breakBehind === null) this.afterwards.push(init.method ?? "GET");
    const broken = new AbortController();
    const signal = AbortSignal.any([broken.signal, ...(init.signal instanceof AbortSignal ? [init.signal] : [])]);
    const answer = await fetch(url, { ...init, signal });
    if (answer.body === null || this.breakBehind === null) return answer;
    let text = "";
    const decoder = new TextDecoder();
    const body = answer.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform: (piece, controller) => {
          controller.enqueue(piece);
          text += decoder.decode(piece, { stream: true });
          if (this.breakBehind === null || !text.includes(this.breakBehind)) return;
          this.breakBehind = null;
          broken.abort();
          controller.error(new Error("the connection broke"));
        },
      }),
    );
    return new Response(body, { status: answer.status, headers: answer.headers });
  };
}
