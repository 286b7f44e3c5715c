/** Views of a page, of which one is shown; the address has which. */
import { Link, useLocation, useSearchParams } from "wouter-preact";

interface ViewChoiceProps {
  readonly label: string;
  /** The parameter of the address. */
  readonly parameter: string;
  /** Values of the parameter with their words; the first is shown without the parameter. */
  readonly views: readonly (readonly [string, string])[];
}

export function ViewChoice({ label, parameter, views }: ViewChoiceProps) {
  const [path] = useLocation();
  const [search] = useSearchParams();
  const shown = search.get(parameter) ?? views[0]?.[0];
  const addressOf = (view: string): string => {
    const next = new URLSearchParams(search);
    if (view === views[0]?.[0]) next.delete(parameter);
    else next.set(parameter, view);
    return next.size === 0 ? path : `${path}?${next.toString()}`;
  };
  return (
    <nav class="views" aria-label={label}>
      {views.map(([view, words]) => (
        <Link key={view} href={addressOf(view)} aria-current={view === shown ? "page" : undefined}>
          {words}
        </Link>
      ))}
    </nav>
  );
}
