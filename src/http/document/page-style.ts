/** The one look of all pages for people: sign-in, account, guides, shares and refusals, in light and dark windows. */
export const PAGE_STYLE = `
:root{color-scheme:light dark;--line:light-dark(#767f8c,#8b95a3);--soft:light-dark(#d5dae1,#3a424d);--text:light-dark(#1b2430,#e8ebf0);--quiet:light-dark(#4d5866,#b3bcc8);--ground:light-dark(#f4f6f8,#14181d);--card:light-dark(#fff,#1d232a);--accent:light-dark(#1f4f8f,#8fbcff);--on-accent:light-dark(#fff,#0d1a2b);--bad:light-dark(#9b1c1c,#ffb0a8);--good:light-dark(#1d6133,#9fe0b2)}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--text);font:16px/1.5 system-ui,sans-serif;overflow-wrap:break-word}
header,main,footer{max-width:44rem;margin:0 auto;padding:1rem}
header{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:center;justify-content:space-between}
header strong{font-size:1.1rem}header strong a{color:inherit;text-decoration:none}header nav{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:center}
main.narrow{max-width:26rem}main.wide,body:has(main.wide) header{max-width:64rem}
h1{font-size:1.5rem;line-height:1.25;margin:.5rem 0 1rem}h2{font-size:1.15rem;line-height:1.25;margin:2rem 0 .75rem}h3{font-size:1rem;margin:1.5rem 0 .5rem}section h2{margin:0 0 .75rem}
section{background:var(--card);border:1px solid var(--soft);border-radius:.6rem;padding:1.1rem;margin:0 0 1rem;overflow-wrap:anywhere}
section>:first-child{margin-top:0}section>:last-child{margin-bottom:0}form+form{margin-top:.9rem}
a{color:var(--accent)}
label,legend{display:block;font-weight:600}fieldset{border:1px solid var(--soft);border-radius:.4rem;margin:0 0 1rem;padding:.5rem .9rem .8rem}
input:not([type=checkbox]):not([type=radio]),select{font:inherit;color:inherit;background:var(--ground);border:1px solid var(--line);border-radius:.4rem;padding:.5rem .6rem;width:100%;margin:.2rem 0 .9rem;min-height:2.75rem}
.choices{display:grid;grid-template-columns:repeat(auto-fill,minmax(11rem,1fr));gap:.1rem .8rem}
.choices label{font-weight:400;display:flex;gap:.5rem;align-items:center;min-height:2rem}
button,a.button{display:inline-block;font:inherit;font-weight:600;text-align:center;text-decoration:none;border-radius:.4rem;border:1px solid var(--accent);background:var(--accent);color:var(--on-accent);padding:.5rem 1rem;min-height:2.75rem;cursor:pointer}
.quiet:is(button,a.button){background:none;color:var(--accent)}
.danger:is(button,a.button){background:var(--bad);border-color:var(--bad);color:var(--card)}
.wide:is(button,a.button){width:100%}[role=alert]:empty{display:none}
.actions{display:flex;flex-wrap:wrap;gap:.5rem 1rem;margin:1rem 0 0}
a:focus-visible,button:focus-visible,input:focus-visible,select:focus-visible,[tabindex]:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.note{color:var(--quiet);margin:.2rem 0 .9rem}.bad{color:var(--bad);font-weight:600}.good{color:var(--good);font-weight:600}
ul.rows{list-style:none;margin:0;padding:0}ul.rows>li{display:flex;flex-wrap:wrap;gap:.5rem 1rem;justify-content:space-between;align-items:center;padding:.7rem 0;border-top:1px solid var(--soft)}
ul.rows>li:first-child{border-top:0;padding-top:0}ul.rows>li:last-child{padding-bottom:0}ul.rows p{margin:0}ul.rows .about{flex:1 1 16rem}
code{font-size:.95em;background:light-dark(#e9edf2,#262d36);border-radius:.3rem;padding:.1em .35em}
code.secret{display:block;padding:.7rem;margin:0 0 .9rem;user-select:all}
pre{background:light-dark(#e9edf2,#262d36);border-radius:.4rem;padding:.8rem;overflow-x:auto}pre code{background:none;padding:0;overflow-wrap:normal}
.scrolls{overflow-x:auto}table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.4rem .8rem .4rem 0;border-bottom:1px solid var(--soft)}
table:has(th:nth-child(5)) :is(td,th){overflow-wrap:anywhere}@media(max-width:40rem){th,td{overflow-wrap:anywhere}}
img{max-width:100%;height:auto}
iframe{width:100%;height:75vh;border:1px solid var(--soft);border-radius:.6rem;background:var(--card)}
`;
