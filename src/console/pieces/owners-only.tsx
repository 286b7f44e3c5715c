/** What only owners of the organization may read: others learn why they do not see it. */
import type { ComponentChildren } from "preact";
import { Link } from "wouter-preact";
import { ownRole } from "../session.ts";

export const OWNERS_DO_THIS = "Only owners of the organization can do this";

export function OwnersOnly({ what, children }: { readonly what: string; readonly children: ComponentChildren }) {
  if (ownRole.value === null) return <p class="quiet">Loading …</p>;
  if (ownRole.value === "owner") return <>{children}</>;
  return (
    <p class="quiet">
      Only owners of the organization see {what}. <Link href="/people">The members</Link> show who is one.
    </p>
  );
}
