/** A page in parts, each at an address of its own, with links between them. */
import type { ComponentType } from "preact";
import { Route, Switch } from "wouter-preact";
import { NoPage, PageLink } from "../routes.tsx";

interface SubPage {
  /** From the root of the console; may have a parameter. */
  readonly path: string;
  /** Absent: no link leads to it from here. */
  readonly name?: string;
  readonly Page: ComponentType<{ readonly id: string }>;
}

export function SubPages({ name, pages }: { readonly name: string; readonly pages: readonly SubPage[] }) {
  return (
    <>
      <nav class="views" aria-label={name}>
        {pages.map(({ path, name: words }) =>
          words === undefined ? null : (
            <PageLink key={path} to={path}>
              {words}
            </PageLink>
          ),
        )}
      </nav>
      <Switch>
        {pages.map(({ path, Page }) => (
          <Route key={path} path={path}>
            {(params: { readonly id?: string }) => <Page key={params.id} id={params.id ?? ""} />}
          </Route>
        ))}
        <Route component={NoPage} />
      </Switch>
    </>
  );
}
