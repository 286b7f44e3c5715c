/** What a page shows, as it is in its address: links lead to it, and each change is a step back. */
import { useSearchParams } from "wouter-preact";

type SearchState<K extends string> = Readonly<Record<K, string>>;

/**
 * The given parameters of the address, or their defaults, which are not in it; and a change of some of them. The other
 * parameters stay. `replace`: without a step back, for text that is being written.
 */
export function useSearchState<K extends string>(
  defaults: SearchState<K>,
): [SearchState<K>, (changes: Partial<SearchState<K>>, replace?: boolean) => void] {
  const [search, setSearch] = useSearchParams();
  const names = Object.keys(defaults) as K[];
  const state = Object.fromEntries(names.map((name) => [name, search.get(name) ?? defaults[name]])) as SearchState<K>;
  const change = (changes: Partial<SearchState<K>>, replace = false): void =>
    setSearch(
      () => {
        // Not those of the last rendering: two changes may come at once, as when a press leaves a field.
        const after = new URLSearchParams(location.search);
        for (const [name, value] of Object.entries(changes) as [K, string][])
          if (value === defaults[name]) after.delete(name);
          else after.set(name, value);
        return after;
      },
      { replace },
    );
  return [state, change];
}

/** The parameters that are not empty, as a query. */
export const givenParameters = (state: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(state).filter(([, value]) => value !== ""));
