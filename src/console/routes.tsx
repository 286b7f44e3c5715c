/** Paths below a page, and the page for paths that lead nowhere. */
import type { ComponentChildren, ComponentType, FunctionComponent } from "preact";
import { Link, Route, Switch, useRoute } from "wouter-preact";
import { TitledPage } from "./title.tsx";

interface ListAndOneProps {
  /** The path of the list; one thing of it is at `path/id`. */
  readonly path: string;
  readonly list: FunctionComponent;
  readonly one: ComponentType<{ readonly id: string }>;
}

/** A page that is a list, with a page for each thing in it. */
export function ListAndOne({ path, list, one: One }: ListAndOneProps) {
  return (
    <Switch>
      <Route path={path} component={list} />
      <Route path={`${path}/:id`}>{({ id }) => <One key={id} id={id} />}</Route>
      <Route component={NoPage} />
    </Switch>
  );
}

interface PageLinkProps {
  readonly to: string;
  /** The paths at which the person is there; by default that of the link only. */
  readonly at?: string;
  readonly children: ComponentChildren;
}

export function PageLink({ to, at = to, children }: PageLinkProps) {
  const [isHere] = useRoute(at);
  return (
    <Link href={to} aria-current={isHere ? "page" : undefined}>
      {children}
    </Link>
  );
}

export function NoPage() {
  return (
    <TitledPage title="No such page">
      <p>
        <Link href="/chats">To your chats</Link>
      </p>
    </TitledPage>
  );
}
