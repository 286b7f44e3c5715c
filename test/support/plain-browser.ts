/**
 * A browser without scripts: it keeps cookies, follows redirects as a browser does, and sends the forms of a page with
 * the fields that the page gives them.
 */
import { parseDocument } from "htmlparser2";

type Node = ReturnType<typeof parseDocument>["children"][number];

interface Form {
  readonly action: string;
  readonly fields: readonly (readonly [string, string])[];
}

/** What a browser has been given. */
export interface Shown {
  readonly status: number;
  /** The path with its query. */
  readonly at: string;
  readonly html: string;
  readonly headers: Headers;
}

export interface PlainBrowserOptions {
  /** Where it reaches the service. */
  readonly url: string;
  /** What it takes this place for: the origin that it names. */
  readonly origin: string;
  /** Whose certificates it trusts besides, in PEM. */
  readonly ca?: string;
}

export class PlainBrowser {
  readonly cookies = new Map<string, string>();
  private readonly options: PlainBrowserOptions;

  constructor(options: PlainBrowserOptions) {
    this.options = options;
  }

  get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Shown> {
    return this.go(path, { headers });
  }

  /** Sends a form by hand; `headers` may take the place of those of a page of the service. */
  post(
    path: string,
    fields: Readonly<Record<string, string>> | URLSearchParams,
    headers: Readonly<Record<string, string>> = this.own(),
  ): Promise<Shown> {
    const body = fields instanceof URLSearchParams ? fields : new URLSearchParams(fields);
    return this.go(path, {
      method: "POST",
      headers: { ...headers, "content-type": "application/x-www-form-urlencoded" },
      body: body.toString(),
    });
  }

  /** Fills in and sends the form of the page that goes to this path, with what the page has filled in itself. */
  submit(
    page: Shown,
    action: string,
    fields: Readonly<Record<string, string | readonly string[]>> = {},
  ): Promise<Shown> {
    const form = formsOf(page.html).find((each) => each.action === action);
    if (form === undefined) throw new Error(`no form to ${action} on ${page.at}: ${page.html}`);
    const body = new URLSearchParams(form.fields.map(([name, value]): [string, string] => [name, value]));
    for (const [name, value] of Object.entries(fields)) {
      body.delete(name);
      for (const each of typeof value === "string" ? [value] : value) body.append(name, each);
    }
    return this.post(action, body);
  }

  /** Follows the page's first link to the question of this path, and answers it with yes. */
  async confirm(page: Shown, path: string): Promise<Shown> {
    const links = elementsOf(parseDocument(page.html).children, "a").map(({ attribs }) => attribs["href"] ?? "");
    const link = links.find((href) => href.split("?")[0] === path);
    if (link === undefined) throw new Error(`no question ${path} on ${page.at}: ${page.html}`);
    return this.submit(await this.get(link), path);
  }

  /** One request without following; the cookies of its answer are kept. */
  async ask(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    if (this.cookies.size > 0)
      headers.set("cookie", [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; "));
    const answer = await fetch(this.options.url + path, {
      ...init,
      headers,
      redirect: "manual",
      ...(this.options.ca === undefined ? {} : { tls: { ca: this.options.ca } }),
    });
    for (const cookie of answer.headers.getSetCookie()) {
      const [pair = "", ...attributes] = cookie.split(";");
      const [name = "", value = ""] = pair.split("=");
      if (attributes.some((each) => each.trim().toLowerCase() === "max-age=0")) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return answer;
  }

  /** The headers of a form that a page of the service sends. */
  own(): Record<string, string> {
    return { origin: this.options.origin, "sec-fetch-site": "same-origin" };
  }

  private async go(path: string, init: RequestInit): Promise<Shown> {
    let at = path;
    let answer = await this.ask(at, init);
    for (let hops = 0; answer.status === 303; hops++) {
      if (hops > 5) throw new Error(`too many redirects, at ${at}`);
      at = answer.headers.get("location") ?? "";
      if (!at.startsWith("/")) break;
      answer = await this.ask(at);
    }
    return { status: answer.status, at, html: await answer.text(), headers: answer.headers };
  }
}

/** The forms of a page, each with the values that it begins with. */
export function formsOf(page: string): readonly Form[] {
  return elementsOf(parseDocument(page).children, "form").map((form) => ({
    action: form.attribs["action"] ?? "",
    fields: elementsOf(form.children, "input")
      .filter(({ attribs }) => attribs["name"] !== undefined && attribs["type"] !== "checkbox")
      .map(({ attribs }) => [attribs["name"] ?? "", attribs["value"] ?? ""] as const),
  }));
}

type Element = Extract<Node, { readonly attribs: object }>;

const elementsOf = (nodes: readonly Node[], name: string): readonly Element[] =>
  nodes.flatMap((node) => {
    if (!("attribs" in node)) return [];
    return node.name === name ? [node] : elementsOf(node.children, name);
  });
