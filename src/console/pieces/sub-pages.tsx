/** A page in parts, each at an address of its own, with links between them. */
import type { ComponentType } from "preact";
import { Link, Route, Switch, useRoute } from "wouter-preact";
import { NoPage } from "../routes.tsx";

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
            <SubPageLink key={path} to={path}>
              {words}
            </SubPageLink>
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

function SubPageLink({ to, children }: { readonly to: string; readonly children: string }) {
  const [isHere] = useRoute(to);
  return (
    <Link href={to} aria-current={isHere ? "page" : undefined}>
      {children}
    </Link>
  );
}
