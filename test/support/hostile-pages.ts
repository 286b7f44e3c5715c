/** What a hostile web server answers: pages that parsers and regular expressions do not like. */
import { gzipSync } from "node:zlib";
import { damaged, seedOf } from "./hostile-fuzz.ts";
import { pouring } from "./hostile-streams.ts";

const MIB = 1024 * 1024;
const HTML = { headers: { "content-type": "text/html; charset=utf-8" } };
const pages = (piece: string) => (): Response => new Response(pouring(piece, 3 * MIB), HTML);

const ATTACKS: Readonly<Record<string, () => Response>> = {
  less: pages("<"),
  nested: pages("<div>"),
  spaces: pages(" "),
  entities: pages("&amp"),
  links: pages('<a href="x">'),
  attributes: () => new Response(pouring(" a=b", 3 * MIB), HTML),
  endless: () => new Response(pouring("<p>x", 2 * 1024 * MIB), HTML),
  packed: () =>
    new Response(gzipSync(Buffer.alloc(64 * MIB, "<p>")), { headers: { ...HTML.headers, "content-encoding": "gzip" } }),
  encoding: () => new Response("<p>x", { headers: { "content-type": `text/html; charset=${"x".repeat(10_000)}` } }),
  controls: () => new Response("<title>a\u001b[31mb</title><p>c\u202ed\u0007</p>", HTML),
};

/** For the fuzzer to damage. */
const GOOD = `<!doctype html><html><head><title>A &amp; b</title><style>p{}</style></head><body><h1>One</h1><p>Two <a href="/x?y=1">three</a>
<ul><li>four</ul><table><tr><td>5<td>6</table><pre>7
  8</pre><script>if (a<b) "</p>"</script><svg><text>9</text></svg></body></html>`;

export function pageAnswer(attack: string): Response {
  const seed = seedOf(attack);
  if (seed !== null) return new Response(damaged(GOOD, seed), HTML);
  return (ATTACKS[attack] ?? (() => new Response("<p>fine", HTML)))();
}

export const PAGE_ATTACKS: readonly string[] = Object.keys(ATTACKS);
