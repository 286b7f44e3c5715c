import { expect, test } from "bun:test";
import fc from "fast-check";
import { htmlText, MAX_OPEN_ELEMENTS } from "../../src/sandbox/jobs/html-text.ts";

const page = (html: string) => htmlText(html, "https://a.test/dir/page");
const text = (html: string): string => page(html).text;

test("[RUN-2] a page becomes its title and its text", () => {
  const html = `<!doctype html><html><head><title> Tea &amp;\n cake </title><style>p { color: red }</style><script>if (a < b) "</p>";</script></head>
    <body><!-- <p>not</p> --><h1>Tea</h1><p>One <b>cup</b>,\n   two&nbsp;cups<br>three.</p>
    <ul><li>green<li>black</ul><table><tr><th>Kind<th>Price<tr><td>green<td>3&euro;</table>
    <noscript>no</noscript><svg><title>drawing</title><text>no</text></svg><textarea>no</textarea>The end.</body></html>`;
  expect(page(html)).toEqual({
    title: "Tea & cake",
    text: "# Tea\n\nOne cup, two cups\nthree.\n\n- green\n- black\n\nKind | Price\ngreen | 3€\n\nThe end.",
  });
});

test("[RUN-2] links keep their targets", () => {
  expect(text(`<a href="/x?a=1&amp;b=2">one</a> <a class='y' href='z'>two</a> <a HREF=//b.test/>three</a>`)).toBe(
    "one (https://a.test/x?a=1&b=2) two (https://a.test/dir/z) three (https://b.test/)",
  );
  expect(
    text(
      `<a href="#part">here</a> <a href="javascript:x()">js</a> <a>none</a> <a data-href="/x">data</a> <a href="http://[">bad</a>`,
    ),
  ).toBe("here js none data bad");
});

test("[RUN-2] preformatted text keeps its lines and indents", () => {
  expect(text("<p>Code:</p><pre>if a:\n    b  c\n</pre><p>  after  that </p>")).toBe(
    "Code:\n\nif a:\n    b  c\n\nafter that",
  );
});

for (const [what, html, expected] of [
  ["a bare <", "1 < 2 <3 and <> done", "1 < 2 <3 and <> done"],
  ["a > within a value", `<p title="a > b" x='>'>shown</p>`, "shown"],
  ["a quote outside a value", `<p it's>shown</p>`, "shown"],
  ["a tag without an end", "shown <a href='x", "shown"],
  ["a comment without an end", "shown <!-- hidden", "shown"],
  ["a short comment", "<!--> shown <!-- a -- b --> too", "shown too"],
  ["a script without an end", "shown <script> hidden <p>hidden", "shown"],
  ["a script that writes a script", "<script>'<script>'</script> shown", "shown"],
  ["upper case", "<SCRIPT>no</SCRIPT><P>shown</P>", "shown"],
  ["end tags of nothing", "</p></div></pre></a></>shown", "shown"],
  ["hidden within hidden", "<object><object>no</object>no</object>shown", "shown"],
  ["a drawing that ends at once", "<svg/>shown<math />", "shown"],
  ["text only", "just text &lt;p&gt;", "just text <p>"],
  ["nothing", "", ""],
] as const) {
  test(`[RUN-2] ${what} is read as a browser would`, () => expect(text(html)).toBe(expected));
}

/** A megabyte each. What is quadratic takes minutes for one of them and not a blink. */
for (const [what, piece] of [
  ["open tags", "<div>"],
  ["end tags of nothing", "</p>"],
  ["links", "<a href=x>"],
  ["bare <", "<"],
  ["comments", "<!--"],
  ["instructions", "<?"],
  ["unfinished tags", "<a "],
  ["unfinished values", `<a b="`],
  ["spaces", " "],
  ["scripts", "<script"],
  ["spaces in pre", "<pre> "],
  ["line breaks", "<br>"],
  ["words", "<b>x</b>"],
  ["hidden", "<object>"],
  ["&", "&"],
  ["entities", "&amp"],
  ["href", "<a href "],
  ["titles", "<title>"],
] as const) {
  test(`[RUN-2] a page that is a megabyte of ${what} is read in linear time`, () => {
    const html = piece.repeat(Math.ceil(1_048_576 / piece.length));
    expect(text(html).length).toBeLessThanOrEqual(20 * html.length);
    expect(text(`<div>${html}</p>`.slice(0, 1_000_000)).length).toBeGreaterThanOrEqual(0);
  });
}

test("[RUN-2] a page that is nested too deep is cut there", () => {
  const nested = (depth: number): string => `first ${"<div>".repeat(depth)}last`;
  expect(text(nested(MAX_OPEN_ELEMENTS))).toContain("last");
  expect(text(nested(MAX_OPEN_ELEMENTS + 1))).toBe("first");
  expect(text("<p>a<br>b</p>".repeat(MAX_OPEN_ELEMENTS))).toEndWith("a\nb");
});

test("[RUN-2] any text is read without a fault, and no part of a tag is shown", () => {
  const piece = fc.constantFrom(
    "<",
    ">",
    "</",
    "<!--",
    "-->",
    "<p",
    "<pre>",
    "<script>",
    "</script>",
    "<title>",
    "=",
    '"',
    "'",
    "&lt;",
    "a",
    " ",
    "\n",
    "<svg>",
    "/",
  );
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join("")),
      (html) => {
        const shown = text(html);
        expect(shown).not.toMatch(/[ \t]\n|\n\n\n/);
      },
    ),
    { numRuns: 2_000 },
  );
});
