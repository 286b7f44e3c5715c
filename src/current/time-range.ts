/** The two ends of a range of time that a query gives. */
import { invalid, ok, type Outcome } from "../../actors/fault.ts";

/** One end, by the name of its parameter; as text, a day or a time of UTC. */
interface End {
  readonly name: string;
  readonly value: string | undefined;
  /** What counts where it is not given. */
  readonly default?: string;
}

/** A range that ends before it begins never finds anything: it is a mistake of its caller. */
export function inOrder(from: End, to: End): Outcome<null> {
  const [first, last] = [from.value ?? from.default, to.value ?? to.default];
  if (first === undefined || last === undefined || first <= last) return ok(null);
  const isToGiven = to.value !== undefined;
  const [path, words] = isToGiven ? [to.name, "must not be before"] : [from.name, "must not be after"];
  const other = isToGiven ? from : to;
  const byDefault = other.value === undefined ? `, which is ${isToGiven ? first : last} by default` : "";
  return invalid(`/${path}`, `${path} ${words} ${other.name}${byDefault}`);
}
